/** A fork from the middle of a run: its next nodes can go on from there, without a message. */
import { useState } from 'react';
import { nextNodes, runOn } from '../data/checkpoints.ts';
import type { Thread } from '../data/threads.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { useResource } from '../resources.ts';

interface ForkStartProps {
  thread: Thread;
  /** The run has begun. */
  begun(): void;
}

export function ForkStart({ thread: { thread_id, workflow }, begun }: ForkStartProps) {
  const { data: next = [] } = useResource(`threads:next:${thread_id}`, () => nextNodes(thread_id));
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  if (next.length === 0) return null;
  async function go() {
    setBusy(true);
    await runOn(thread_id, workflow).then(begun, setError);
    setBusy(false);
  }
  return (
    <section className="interrupt" aria-label="The fork can run on">
      <div className="row wrap">
        <span className="dot waiting" />
        <p className="grow">
          This fork stands in the middle of a run. Next: <code>{next.join(', ')}</code>
        </p>
        <button type="button" className="button primary" disabled={busy} onClick={go}>
          <Icon name="play" size={14} />
          Run on
        </button>
      </div>
      {error && <ErrorNote error={error} />}
    </section>
  );
}
