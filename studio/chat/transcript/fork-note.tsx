/**
 * A note in a forked thread with a link that compares it with its origin, or a button that continues it if it has not run yet.
 */
import { useState } from 'react';
import { continueThread, nextNodes, readCheckpoint } from '../../data/threads/checkpoints.ts';
import type { Thread } from '../../data/threads/threads.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { ErrorNote } from '../../parts/states.tsx';
import { address } from '../../routing/router.ts';
import { useResource } from '../../service/resources.ts';

interface ForkNoteProps {
  thread: Thread;
  /** The latest run of the thread; undefined if it has none. */
  run: string | undefined;
  /** Called when a run has started. */
  onStart(): void;
}

export function ForkNote({ thread, run, onStart }: ForkNoteProps) {
  return run === undefined ? (
    <Continue thread={thread} onStart={onStart} />
  ) : (
    <Compare thread={thread} run={run} />
  );
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
      <Link href={address(['compare'], { left, right })}>Compare with original</Link>
    </p>
  );
}

/** The run of the checkpoint that was forked; null if the checkpoint no longer exists. */
async function originOf(parent: Thread['parent']): Promise<string | null> {
  if (!parent) return null;
  const read = readCheckpoint(parent.thread_id, parent.checkpoint_id);
  return read.then(({ run_id }) => run_id).catch(() => null);
}

function Continue({ thread: { thread_id, workflow }, onStart }: Omit<ForkNoteProps, 'run'>) {
  const { data: next = [] } = useResource(`threads:next:${thread_id}`, () => nextNodes(thread_id));
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  if (next.length === 0) return null;
  async function go() {
    if (busy) return;
    setBusy(true);
    await continueThread(thread_id, workflow).then(onStart, setError);
    setBusy(false);
  }
  return (
    <section className="interrupt" aria-label="Continue the fork">
      <div className="row wrap">
        <span className="dot waiting" />
        <p className="grow">
          This fork is in the middle of a run. Next: <code>{next.join(', ')}</code>
        </p>
        <button type="button" className="button primary" aria-disabled={busy} onClick={go}>
          <Icon name="play" size={14} />
          Continue
        </button>
      </div>
      {error && <ErrorNote error={error} />}
    </section>
  );
}
