/** The state that a node left, or began with: the checkpoint after its work, or the one before that. */

import { readCheckpoint } from '../data/checkpoints.ts';
import { type AgentView, keyOf } from '../data/run-view.ts';
import { type Run, readRunCheckpoints } from '../data/runs.ts';
import { Json } from '../parts/json.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useResource } from '../resources.ts';

interface NodeStateProps {
  /** The runs of the turn, the oldest first. */
  runs: Run[];
  agent: AgentView;
  step: string | undefined;
  /** How often the agent ran. */
  times: number;
  /** In place of the state that it left, the one that it began with. */
  isBefore?: boolean;
}

export function NodeState({ runs, agent, step, times, isBefore = false }: NodeStateProps) {
  const [first] = runs;
  const key =
    first && `node-state:${first.run_id}:${runs.length}:${keyOf(agent)}:${step}:${times}:${isBefore}`;
  const { data, error } = useResource(key, () => stateAt(runs, { agent, step, times, isBefore }));
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  if (data === null) return <p className="muted small">No checkpoint of it is kept.</p>;
  return <Json value={data} open={1} />;
}

type Work = Pick<NodeStateProps, 'agent' | 'step' | 'times' | 'isBefore'>;

async function stateAt(runs: Run[], { agent, step, times, isBefore }: Work): Promise<object | null> {
  const checkpoints = (await Promise.all(runs.toReversed().map(readRunCheckpoints))).flat();
  const around = step === undefined ? agent.path : [...agent.path, agent.agent];
  const within = around.length === 0 ? null : around.join('/');
  const name = step ?? agent.agent;
  const made = checkpoints.filter((one) => one.within === within && one.agent?.split(', ').includes(name));
  // Newest first: of a step that ran again, its last; of nodes that ran side by side, there is one for all.
  const found = (step === undefined ? made[times - agent.execution] : undefined) ?? made[0];
  const thread = runs[0]?.thread_id;
  const id = isBefore ? found?.parent_id : found?.checkpoint_id;
  return id && thread !== undefined ? (await readCheckpoint(thread, id)).values : null;
}
