/** The differences of two JSON values, one by one. */
import { StateValue } from '../content/state-values.tsx';
import { TextDiff } from './text-diff.tsx';
import { MOST_CHANGES, type ValueChange } from './value-diff.ts';
import './diff.css';

export function ValueChanges({ changes }: { changes: ValueChange[] }) {
  if (changes.length === 0) return <p className="muted small">No difference.</p>;
  return (
    <ul className="changes">
      {changes.map(({ path, kind, before, after }) => (
        <li key={path.join('/')} data-kind={kind}>
          <p className="row small">
            <span className={`chip ${TONES[kind]}`}>{kind}</span>
            <code className="cut">{path.join(' › ') || 'all of it'}</code>
          </p>
          {typeof before === 'string' && typeof after === 'string' ? (
            <TextDiff before={before} after={after} label={path.join(' ')} />
          ) : (
            <>
              {before !== undefined && <StateValue value={before} open={1} />}
              {after !== undefined && <StateValue value={after} open={1} />}
            </>
          )}
        </li>
      ))}
      {changes.length >= MOST_CHANGES && (
        <li className="muted small">There are more; the first {MOST_CHANGES} are shown.</li>
      )}
    </ul>
  );
}

const TONES = { added: 'good', removed: 'bad', changed: 'waiting' };
