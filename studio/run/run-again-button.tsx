/** The button that runs a turn again from a node. */
import { Suspense, useState } from 'react';
import { type Run, readRunCheckpoints } from '../data/runs/runs.ts';
import { lazyPart } from '../lazy-with-styles.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { beforeNode, type Work } from '../run-again/before-node.ts';

const RunAgainDialog = lazyPart(() => import('../run-again/run-again-dialog.tsx'));

interface RunAgainButtonProps {
  /** The runs of the turn, oldest first. */
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
    if (!found || !first) throw new Error('The checkpoint before this node is no longer available.');
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
