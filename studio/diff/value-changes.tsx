/** The differences between two JSON values. */
import { StateValue } from '../content/state-values.tsx';
import { TextDiff } from './text-diff.tsx';
import { MAX_CHANGES, type ValueChange } from './value-diff.ts';
import './diff.css';

export function ValueChanges({ changes }: { changes: ValueChange[] }) {
  if (changes.length === 0) return <p className="muted small">No changes.</p>;
  return (
    <ul className="changes">
      {changes.map(({ path, kind, before, after }) => (
        <li key={path.join('/')} data-kind={kind}>
          <p className="row small">
            <span className={`chip ${TONES[kind]}`}>{kind}</span>
            <code className="cut">{path.join(' › ') || 'whole value'}</code>
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
      {changes.length >= MAX_CHANGES && (
        <li className="muted small">Only the first {MAX_CHANGES} changes are shown.</li>
      )}
    </ul>
  );
}

const TONES = { added: 'good', removed: 'bad', changed: 'waiting' };
