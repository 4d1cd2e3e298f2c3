/** A result compared with an earlier one: changed cases and answers. */
import { useEffect, useState } from 'react';
import { deleteResult, type Result, type ResultHead, readResult } from '../data/datasets.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { changeQuery } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { CHANGES, type Change, compared } from './compared.ts';
import { JudgedCaseItem } from './judged-case.tsx';
import { ResultChip } from './result-chip.tsx';
import { changedPrompts, promptsText, versionText } from './versions.ts';

const POLL_MS = 1_000;

interface ResultViewProps {
  name: string;
  resultId: string;
  /** Newest first. */
  results: ResultHead[];
}

export function ResultView({ name, resultId, results }: ResultViewProps) {
  const { data: result, error } = useResource(`dataset-result:${name}:${resultId}`, () =>
    readResult(name, resultId),
  );
  const older = results.filter((one) => one.result_id < resultId);
  const [chosen, choose] = useState<string>();
  const base = chosen ?? older.find(({ workflow }) => workflow === result?.workflow)?.result_id ?? '';
  const { data: before } = useResource(base === '' ? undefined : `dataset-result:${name}:${base}`, () =>
    readResult(name, base),
  );
  const isRunning = result?.status === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => invalidate(`dataset-result:${name}:${resultId}`), POLL_MS);
    return () => {
      clearInterval(timer);
      invalidate('datasets');
      invalidate('dataset-results:');
    };
  }, [isRunning, name, resultId]);
  if (error) return <ErrorNote error={error} />;
  if (!result) return <Loading lines={6} />;
  return (
    <>
      <Head result={result} name={name} />
      {older.length > 0 && (
        <label className="row wrap small">
          Compare with
          <select className="field" value={base} onChange={(event) => choose(event.target.value)}>
            <option value="">None</option>
            {older.map((one) => (
              <option key={one.result_id} value={one.result_id}>
                {new Date(one.created_at).toLocaleString()} · {one.workflow} · {one.right} of {one.total}
              </option>
            ))}
          </select>
        </label>
      )}
      {before && <Versions now={result} before={before} />}
      <Groups result={result} before={before} />
    </>
  );
}

function Head({ result, name }: { result: Result; name: string }) {
  const [problem, setProblem] = useState<Error>();
  const isRunning = result.status === 'running';
  async function remove() {
    try {
      await deleteResult(name, result.result_id);
      invalidate('dataset');
      changeQuery({ result: undefined, view: 'results' });
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return (
    <div className="stack">
      <div className="row wrap" role="status">
        <ResultChip result={result} />
        {isRunning && <progress aria-label="Cases" max={result.total} value={result.done} />}
        <span className="small muted grow">
          {result.workflow} · <Ago at={result.created_at} /> · {result.author} ·{' '}
          {result.tokens.toLocaleString()} tokens
        </span>
        <button type="button" className="button small" onClick={remove}>
          <Icon name={isRunning ? 'stop' : 'trash'} size={14} />
          {isRunning ? 'Stop' : 'Delete'}
        </button>
      </div>
      {result.models.length > 0 && (
        <p className="small muted">
          {result.models.join(', ')}
          {result.prompts.length > 0 && ` · prompts: ${promptsText(result)}`}
        </p>
      )}
      {result.error && <p className="note bad">{result.error}</p>}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

/** The changed prompt files and models. */
function Versions({ now, before }: { now: Result; before: Result }) {
  const prompts = changedPrompts(now, before);
  const models = now.models.join(', ') === before.models.join(', ') ? undefined : before.models.join(', ');
  if (prompts.length === 0 && models === undefined) return null;
  return (
    <ul className="note" aria-label="Changes since the compared result">
      {prompts.map(({ now: prompt, was }) => (
        <li key={`${prompt.filename} ${prompt.sha256}`}>
          <code>{prompt.filename}</code>: {versionText(prompt)},{' '}
          {was ? `was ${versionText(was)}` : 'not used before'}
        </li>
      ))}
      {models !== undefined && <li>Model: was {models || 'none'}</li>}
    </ul>
  );
}

function Groups({ result, before }: { result: Result; before: Result | undefined }) {
  const groups = compared(result.cases, before?.cases);
  return (
    <>
      {(Object.keys(CHANGES) as Change[]).map((change) => {
        const cases = groups[change];
        if (cases.length === 0) return null;
        return (
          <section key={change} className="stack" aria-label={CHANGES[change]}>
            <h2>
              {CHANGES[change]} <span className="muted">{cases.length}</span>
            </h2>
            <ol className="stack">
              {cases.map((one) => (
                <JudgedCaseItem
                  // In a file that was edited by hand, a name may occur twice.
                  key={`${one.now.key} ${result.cases.indexOf(one.now)}`}
                  one={one}
                  workflow={result.workflow}
                  isOpen={change === 'broke'}
                />
              ))}
            </ol>
          </section>
        );
      })}
    </>
  );
}
