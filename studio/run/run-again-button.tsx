/** Runs the turn again from before a node. */
import { Suspense, useState } from 'react';
import { beforeNode, type Work } from '../again/before-node.ts';
import { type Run, readRunCheckpoints } from '../data/runs.ts';
import { part } from '../later.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote } from '../parts/states.tsx';

const RunAgainDialog = part(() => import('../again/run-again-dialog.tsx'));

interface RunAgainButtonProps {
  /** Of the turn, the oldest first. */
  runs: Run[];
  work: Work;
}

export function RunAgainButton({ runs, work }: RunAgainButtonProps) {
  const [at, setAt] = useState<{ threadId: string; workflow: string; checkpointId: string }>();
  const [error, setError] = useState<Error>();
  async function open() {
    setError(undefined);
    const checkpoints = (await Promise.all(runs.toReversed().map(readRunCheckpoints))).flat();
    const found = beforeNode(checkpoints, work);
    const [first] = runs;
    if (!found || !first) throw new Error('The checkpoint before this node is not kept any more.');
    setAt({ threadId: first.thread_id, workflow: first.workflow, checkpointId: found.checkpoint_id });
  }
  return (
    <>
      <button type="button" className="button small" onClick={() => open().catch(setError)}>
        <Icon name="play" size={12} />
        Run again from here
      </button>
      {error && <ErrorNote error={error} />}
      {at && (
        <Suspense>
          <RunAgainDialog {...at} close={() => setAt(undefined)} />
        </Suspense>
      )}
    </>
  );
}
