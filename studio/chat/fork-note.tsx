/** A fork says where it comes from: it is compared with that, and goes on where it stands in the middle of a run. */

import { useState } from 'react';
import { nextNodes, readCheckpoint, runOn } from '../data/checkpoints.ts';
import type { Thread } from '../data/threads.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { useResource } from '../resources.ts';
import { address } from '../router.ts';

interface ForkNoteProps {
  thread: Thread;
  /** Its newest run; undefined where it has had none. */
  run: string | undefined;
  /** A run has begun. */
  begun(): void;
}

export function ForkNote({ thread, run, begun }: ForkNoteProps) {
  return run === undefined ? <Start thread={thread} begun={begun} /> : <Compare thread={thread} run={run} />;
}

function Compare({ thread: { thread_id, parent }, run }: { thread: Thread; run: string }) {
  const key = parent ? `fork-origin:${parent.thread_id}:${parent.checkpoint_id}` : undefined;
  const { data: origin } = useResource(key, () => originOf(parent));
  if (!parent || origin === undefined) return null;
  const [left, right] =
    origin === null ? [`thread:${parent.thread_id}`, `thread:${thread_id}`] : [`run:${origin}`, `run:${run}`];
  return (
    <p className="row small muted">
      <Icon name="branch" size={14} />
      <Link href={address(['compare'], { left, right })}>Compare with the original</Link>
    </p>
  );
}

/** The run that is run again; null where it is not known any more. */
async function originOf(parent: Thread['parent']): Promise<string | null> {
  if (!parent) return null;
  const read = readCheckpoint(parent.thread_id, parent.checkpoint_id);
  return read.then(({ run_id }) => run_id).catch(() => null);
}

function Start({ thread: { thread_id, workflow }, begun }: Omit<ForkNoteProps, 'run'>) {
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
