/** The tool calls of a node, with input, output and duration. */
import type { ToolView } from '../data/runs/run-view.ts';
import { LongText } from '../markdown/long-text.tsx';
import { durationText, Elapsed } from '../parts/formats/time.tsx';
import { Json } from '../parts/json/json.tsx';

interface ToolListProps {
  tools: ToolView[];
  /** Whether the run is waiting for a person. Its unfinished tool calls are then waiting, too. */
  waits: boolean;
}

// Up to this number, all calls are expanded.
const MAX_EXPANDED = 3;

export function ToolList({ tools, waits }: ToolListProps) {
  return (
    <ul className="stack" aria-label="Tool calls">
      {tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only appended
        <li key={index}>
          <Tool tool={tool} isOpen={tools.length <= MAX_EXPANDED} waits={waits} />
        </li>
      ))}
    </ul>
  );
}

const DOTS = { started: 'running', finished: 'good', failed: 'bad', cancelled: 'cancelled' };

function Tool({ tool: call, isOpen, waits }: { tool: ToolView; isOpen: boolean; waits: boolean }) {
  const { tool, state, startedAt, durationMs, input, output, error } = call;
  const isAsking = state === 'started' && waits;
  return (
    <details className="call" open={isOpen}>
      <summary className="row wrap small">
        <span
          className={`dot ${isAsking ? 'waiting' : DOTS[state]}`}
          role="img"
          aria-label={isAsking ? 'waiting for you' : state}
        />
        <code className="grow cut">{tool}</code>
        <span className="muted">
          {durationMs !== undefined ? durationText(durationMs) : !isAsking && <Elapsed since={startedAt} />}
        </span>
      </summary>
      <div className="stack">
        <Value name="Input" value={input} />
        {error === undefined ? (
          state === 'finished' && <Value name="Output" value={output} />
        ) : (
          <p className="note bad">
            <span>{error}</span>
          </p>
        )}
      </div>
    </details>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  return (
    <div className="sent">
      <h4 className="muted">{name}</h4>
      {value === undefined ? (
        <p className="muted small">No longer available.</p>
      ) : (
        <Shown value={typeof value === 'string' ? jsonOr(value) : value} />
      )}
    </div>
  );
}

function Shown({ value }: { value: unknown }) {
  return typeof value === 'string' ? <LongText text={value} /> : <Json value={value} />;
}

/** The output of a tool is text, which is often JSON. */
function jsonOr(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
