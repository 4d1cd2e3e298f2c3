/** A question that a thread asks a person, and the form for the answer. */
import { type FormEvent, useState } from 'react';
import { Json } from '../../parts/json/json.tsx';
import { JsonField } from '../../parts/json/json-field.tsx';
import { type JsonProblem, readJson } from '../../parts/json/json-text.ts';

interface InterruptProps {
  value: unknown;
  /** The node that asks, if several do. */
  from: string | undefined;
  answer(value: unknown): void;
}

export function Interrupt({ value, from, answer }: InterruptProps) {
  const query = queryIn(value);
  const [raw, setRaw] = useState(!query && !isQuestion(value));
  return (
    <section
      className="interrupt"
      aria-label={from ? `${from} is waiting for you` : 'Waiting for your answer'}
    >
      <div className="row">
        <span className="dot waiting" />
        <h3 className="grow">
          {query ? 'Run this query?' : from ? <Asker name={from} /> : 'Waiting for your answer'}
        </h3>
        <button type="button" className="button small quiet" onClick={() => setRaw(!raw)}>
          {raw ? 'Answer with buttons' : 'Answer with JSON'}
        </button>
      </div>
      {query ? <QueryQuestion query={query} /> : <Asked value={value} />}
      {raw ? (
        <RawAnswer answer={answer} />
      ) : query ? (
        <QueryAnswer sql={query.sql} answer={answer} />
      ) : (
        <PlainAnswer answer={answer} />
      )}
    </section>
  );
}

function Asker({ name }: { name: string }) {
  return (
    <>
      <code>{name}</code> is waiting for you
    </>
  );
}

interface Query {
  sql: string;
  explanation: string;
  tables: string[];
}

/** The SQL agent's question, whose answer is `{approved, sql?}`. */
function queryIn(value: unknown): Query | undefined {
  const { sql, explanation, tables } = (value ?? {}) as Partial<Query>;
  if (typeof sql !== 'string') return undefined;
  return {
    sql,
    explanation: typeof explanation === 'string' ? explanation : '',
    tables: Array.isArray(tables) ? tables.map(String) : [],
  };
}

function isQuestion(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'question' in value);
}

function Asked({ value }: { value: unknown }) {
  if (typeof value === 'string') return <p className="wrapped">{value}</p>;
  const { question, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof question !== 'string') return <Json value={value} />;
  return (
    <>
      <p className="wrapped">{question}</p>
      {Object.keys(rest).length > 0 && <Json value={rest} />}
    </>
  );
}

function QueryQuestion({ query: { explanation, tables } }: { query: Query }) {
  return (
    <>
      {explanation && <p>{explanation}</p>}
      {tables.length > 0 && (
        <p className="row wrap small muted">
          Tables:
          {tables.map((table) => (
            <code key={table}>{table}</code>
          ))}
        </p>
      )}
    </>
  );
}

/** Approve the query, run an edited one, or reject it. */
function QueryAnswer({ sql, answer }: { sql: string; answer(value: unknown): void }) {
  const [text, setText] = useState(sql);
  const edited = text.trim() !== sql.trim();
  return (
    <>
      <textarea
        className="field mono"
        aria-label="Query"
        rows={Math.min(14, text.split('\n').length + 1)}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row wrap">
        <button
          type="button"
          className="button primary"
          disabled={text.trim() === ''}
          onClick={() => answer(edited ? { approved: true, sql: text } : { approved: true })}
        >
          {edited ? 'Run edited query' : 'Approve'}
        </button>
        <button type="button" className="button danger" onClick={() => answer({ approved: false })}>
          Reject
        </button>
        {edited && (
          <button type="button" className="button quiet" onClick={() => setText(sql)}>
            Reset
          </button>
        )}
      </div>
    </>
  );
}

/** Any other question: approve, reject, or type an answer. */
function PlainAnswer({ answer }: { answer(value: unknown): void }) {
  const [text, setText] = useState('');
  function say(event: FormEvent) {
    event.preventDefault();
    answer(text);
  }
  return (
    <form className="row wrap" onSubmit={say}>
      <button type="button" className="button primary" onClick={() => answer(true)}>
        Approve
      </button>
      <button type="button" className="button danger" onClick={() => answer(false)}>
        Reject
      </button>
      <input
        className="field grow"
        aria-label="Your answer"
        placeholder="Or type an answer"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={text.trim() === ''}>
        Answer
      </button>
    </form>
  );
}

function RawAnswer({ answer }: { answer(value: unknown): void }) {
  const [text, setText] = useState('{"approved": true}');
  const [problem, setProblem] = useState<JsonProblem>();
  function send(event: FormEvent) {
    event.preventDefault();
    const read = readJson(text);
    setProblem(read.problem);
    if (!read.problem) answer(read.value);
  }
  return (
    <form className="stack" onSubmit={send}>
      <JsonField label="JSON value" rows={4} {...{ text, problem }} change={setText} />
      <div className="row">
        <button type="submit" className="button primary">
          Send
        </button>
      </div>
    </form>
  );
}
