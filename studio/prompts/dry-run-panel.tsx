/** The dry-run panel: answers the latest turns again with the text in the editor, beside the original answers. */
import { useEffect, useRef, useState } from 'react';
import { type DryRunTurn, dryRun, type PromptName } from '../data/prompts.ts';
import { WordDiff } from '../diff/word-diff.tsx';
import { Elapsed } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { Json } from '../parts/json/json.tsx';
import { Empty, ErrorNote } from '../parts/states.tsx';

const MAX_TURNS = 20;

interface ActiveRun {
  since: number;
  turns: number;
  stop: AbortController;
}

export function DryRunPanel({ name, text }: { name: PromptName; text: string }) {
  const [turns, setTurns] = useState('3');
  const [active, setActive] = useState<ActiveRun>();
  const [answered, setAnswered] = useState<DryRunTurn[]>();
  const [error, setError] = useState<Error>();
  const latest = useRef<ActiveRun>(undefined);
  // Cancel the dry run when the panel closes.
  useEffect(() => () => latest.current?.stop.abort(), []);
  const count = Number(turns);
  const isReady = active === undefined && Number.isInteger(count) && count >= 1 && count <= MAX_TURNS;

  async function run() {
    const stop = new AbortController();
    const started = { since: Date.now(), turns: count, stop };
    latest.current = started;
    setActive(started);
    setError(undefined);
    try {
      setAnswered(await dryRun(name, { content: text, turns: count, signal: stop.signal }));
    } catch (thrown) {
      if (!stop.signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setActive(undefined);
  }
  return (
    <div className="stack">
      <p className="muted small">
        Answers your latest turns that used this file again, with the text in the editor. Nothing is saved,
        but the model calls have their usual cost.
      </p>
      <form
        className="row wrap"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void run();
        }}
      >
        <label className="row small">
          Turns
          <input
            className="field turns"
            type="number"
            min={1}
            max={MAX_TURNS}
            required
            value={turns}
            onChange={(event) => setTurns(event.target.value)}
          />
        </label>
        <button type="submit" className="button primary" aria-disabled={!isReady}>
          <Icon name="play" size={14} />
          Run
        </button>
        {active && (
          <>
            <button type="button" className="button" onClick={() => active.stop.abort()}>
              <Icon name="stop" size={14} />
              Cancel
            </button>
            <span className="row small muted">
              <progress aria-label="Dry run" />
              {active.turns === 1 ? 'Running 1 turn' : `Running ${active.turns} turns`},{' '}
              <Elapsed since={active.since} />
            </span>
          </>
        )}
      </form>
      {error && <ErrorNote error={error} />}
      {answered && <Answers answered={answered} />}
    </div>
  );
}

function Answers({ answered }: { answered: DryRunTurn[] }) {
  if (answered.length === 0)
    return (
      <Empty title="No turns yet">
        <p className="small">
          Chat with a workflow that uses this file first. Turns whose first checkpoint was deleted are
          skipped.
        </p>
      </Empty>
    );
  const tokens = answered.reduce((sum, { token_count }) => sum + token_count, 0);
  const same = answered.filter(({ before, after }) => before === after).length;
  return (
    <>
      <p className="small" role="status">
        {answered.length} {answered.length === 1 ? 'turn' : 'turns'}, {answered.length - same} with a
        different answer, {tokens.toLocaleString()} tokens
      </p>
      <ol className="stack">
        {answered.map((turn) => (
          <li key={turn.message_id} className="panel dry-run-turn">
            <Turn turn={turn} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Turn({ turn }: { turn: DryRunTurn }) {
  const { user_prompt, workflow, token_count, before, after, error, interrupt } = turn;
  const asks = interrupt !== null && interrupt !== undefined;
  return (
    <>
      <div className="row wrap small">
        <strong className="grow asked">{user_prompt}</strong>
        <span className="muted">
          {workflow} · {token_count.toLocaleString()} tokens
        </span>
        {before === after && <span className="chip">No changes</span>}
      </div>
      {error ? (
        <div className="note bad">
          <p>{error.message}</p>
          {error.detail && <p>{error.detail}</p>}
          <p className="muted">
            <code>{error.error_code}</code>
          </p>
        </div>
      ) : (
        <WordDiff before={before} after={after} names={['Original answer', 'With this text']} />
      )}
      {asks && (
        <div className="note waiting">
          <p>With this text, the workflow asks a person:</p>
          <Json value={interrupt} />
        </div>
      )}
    </>
  );
}
