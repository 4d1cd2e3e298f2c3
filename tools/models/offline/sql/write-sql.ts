/** The task `sql`: writes a SELECT for a question about the given tables, or the reason why it can't. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Table } from '../../../sql/engine.ts';
import { identifier } from '../../../sql/quote.ts';
import { readSchemaText } from '../../../sql/schema-text.ts';
import type { ChatRequest } from '../request.ts';
import { goneOn } from './followups/followup.ts';
import { isBareSuperlative } from './followups/references.ts';
import { unusedName } from './named-names.ts';
import { plan } from './plan.ts';
import { read } from './question/read.ts';
import type { Reading } from './question/reading.ts';
import { schemaAnswer } from './schema-question.ts';
import { catalog, type Entity } from './tables/catalog.ts';
import { tokens } from './tokens.ts';

const SqlSchema = Type.Object({
  properties: Type.Object({ sql: Type.Unknown(), explanation: Type.Unknown(), tables: Type.Unknown() }),
});

export interface WrittenSql {
  /** Empty if the question cannot be answered. */
  sql: string;
  explanation: string;
  tables: string[];
}

/** The statement as JSON; undefined for another schema. */
export function sql(request: ChatRequest): string | undefined {
  if (!Value.Check(SqlSchema, request.schema)) return undefined;
  const questions = request.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const tables = request.data.map(readSchemaText).find((found) => found !== undefined);
  return JSON.stringify(writeSql(questions, tables ?? []));
}

// The rules run on the service's event loop. These limits keep their time to a few milliseconds.
const MAX_WORDS = 120;
const MAX_QUESTIONS = 8;

/** Answers the last question. Earlier questions are the context for a follow-up. */
export function writeSql(questions: readonly string[], tables: readonly Table[]): WrittenSql {
  if (tables.length === 0) return refused('I was shown no tables', tables);
  const aboutTables = schemaAnswer(questions.at(-1) ?? '', tables);
  if (aboutTables !== undefined) return { sql: '', explanation: aboutTables, tables: [] };
  const entities = catalog(tables);
  const short = questions.filter((question) => tokens(question).length <= MAX_WORDS);
  if (short.at(-1) !== questions.at(-1)) return refused(`it has more than ${MAX_WORDS} words`, tables);
  const planned = plan(understood(short.slice(-MAX_QUESTIONS), entities), entities);
  if ('problem' in planned) return refused(planned.problem, tables);
  const unused = unusedName(questions.at(-1) ?? '', planned.sql, tables);
  if (unused !== undefined)
    return refused(`I cannot tell what it asks of "${unused}", which it names`, tables);
  const used = tables.filter(({ name }) => mentions(planned.sql, name));
  return { ...planned, tables: used.map(({ name }) => name) };
}

const NO_FIGURE = 'I cannot tell which figure is to be compared';

/** Follow-ups only refer to questions that could be answered, so small talk in between has no effect. */
function understood(questions: readonly string[], entities: readonly Entity[]): Reading {
  let last: Reading | undefined;
  for (const [index, question] of questions.entries()) {
    const reading = read(question, entities);
    const first = isBareSuperlative(question, reading) ? { ...reading, problem: NO_FIGURE } : reading;
    const whole = last ? goneOn(question, { earlier: last, next: reading, entities }) : first;
    if (index === questions.length - 1) return whole;
    if ('sql' in plan(whole, entities)) last = whole;
  }
  return read('', entities);
}

function mentions(statement: string, table: string): boolean {
  const name = identifier(table);
  return statement.split('\n').some((line) => line === `FROM ${name}` || line.startsWith(`JOIN ${name} ON `));
}

function refused(problem: string, tables: readonly Table[]): WrittenSql {
  const names = tables.map(({ name }) => name).join(', ');
  return {
    sql: '',
    explanation:
      `The offline model, which writes SQL by rules, cannot answer this: ${problem}.` +
      `${names ? ` The tables are ${names}.` : ''} A language model may do better: set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL.`,
    tables: [],
  };
}
