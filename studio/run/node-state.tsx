/** The state that a node left: the checkpoint after its work. */

import { readCheckpoint } from '../data/checkpoints.ts';
import { type Run, readRunCheckpoints } from '../data/runs.ts';
import { Json } from '../parts/json.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useResource } from '../resources.ts';

interface NodeStateProps {
  run: Run | undefined;
  agent: string;
  step: string | undefined;
}

export function NodeState({ run, agent, step }: NodeStateProps) {
  const key = run && `node-state:${run.run_id}:${agent}:${step}`;
  const { data, error } = useResource(key, async () =>
    run ? await stateAfter(run, agent, step) : undefined,
  );
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  if (data === null) return <p className="muted small">No checkpoint of it is kept.</p>;
  return <Json value={data} open={1} />;
}

async function stateAfter(run: Run, agent: string, step: string | undefined): Promise<object | null> {
  const checkpoints = await readRunCheckpoints(run);
  const made = (by: string | null, name: string) => by?.split(', ').includes(name) ?? false;
  // Newest first: of a step that ran again, its last.
  const found = checkpoints.find(({ agent: by, within }) =>
    step === undefined ? within === null && made(by, agent) : within === agent && made(by, step),
  );
  return found ? (await readCheckpoint(run.thread_id, found.checkpoint_id)).values : null;
}
