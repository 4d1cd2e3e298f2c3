/** Compares two threads message by message. */
import { type Message, readAllMessages } from '../data/threads/threads.ts';
import { TextDiff } from '../diff/text-diff.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';

export function CompareThreads({ left, right }: { left: string; right: string }) {
  const a = useResource(`messages:${left}`, () => readAllMessages(left));
  const b = useResource(`messages:${right}`, () => readAllMessages(right));
  const error = a.error ?? b.error;
  if (error) return <ErrorNote error={error} />;
  if (!a.data || !b.data) return <Loading lines={8} />;
  const pairs = pairsOf(a.data, b.data);
  const same = pairs.findIndex(({ differs }) => differs);
  const shared = same < 0 ? pairs.length : same;
  return (
    <div className="stack">
      <div className="compare-sides">
        <Link href={address(['threads', left])}>{left}</Link>
        <Link href={address(['threads', right])}>{right}</Link>
      </div>
      {shared > 0 && (
        <details>
          <summary className="small muted">
            {shared === pairs.length ? 'All' : 'First'} {shared}{' '}
            {shared === 1 ? 'message is' : 'messages are'} identical
          </summary>
          <ol className="stack">
            {pairs.slice(0, shared).map(({ left: message }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
              <li key={index} className="small">
                <strong>{message?.role}</strong> <span className="wrapped">{message?.content}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
      {pairs.slice(shared).map(({ left, right, differs }, index) => (
        <section
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
          key={index}
          className="compare-pair"
          data-differs={differs}
          aria-label={`Message ${shared + index + 1}`}
        >
          <Cell message={left} />
          <Cell message={right} />
          {differs && left && right && left.role === right.role && (
            <details className="both">
              <summary className="small muted">Show changes</summary>
              <TextDiff before={left.content} after={right.content} label="Changes" />
            </details>
          )}
        </section>
      ))}
    </div>
  );
}

function Cell({ message }: { message: Message | undefined }) {
  if (!message) return <p className="muted small panel compare-cell">No message</p>;
  return (
    <div className="panel compare-cell">
      <strong className="small">{message.role}</strong>
      <p className="wrapped small">{message.content}</p>
    </div>
  );
}

interface Pair {
  left: Message | undefined;
  right: Message | undefined;
  differs: boolean;
}

function pairsOf(left: Message[], right: Message[]): Pair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [a, b] = [left[index], right[index]];
    return { left: a, right: b, differs: a?.content !== b?.content || a?.role !== b?.role };
  });
}
