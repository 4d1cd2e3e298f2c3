/** The state after a node or before it, from its checkpoint or the parent of that. */
import { StateValues } from '../content/state-values.tsx';
import { type AgentView, keyOf } from '../data/runs/run-view.ts';
import { type Run, readRunCheckpoints } from '../data/runs/runs.ts';
import { readCheckpoint } from '../data/threads/checkpoints.ts';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useResource } from '../service/resources.ts';

interface NodeStateProps {
  /** The runs of the turn, oldest first. */
  runs: Run[];
  agent: AgentView;
  step: string | undefined;
  /** The number of executions of the agent. */
  times: number;
  /** Show the state before the node instead of the one after it. */
  isBefore?: boolean;
}

export function NodeState({ runs, agent, step, times, isBefore = false }: NodeStateProps) {
  const [first] = runs;
  const key =
    first && `node-state:${first.run_id}:${runs.length}:${keyOf(agent)}:${step}:${times}:${isBefore}`;
  const { data, error } = useResource(key, () => stateAt(runs, { agent, step, times, isBefore }));
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  if (data === null) return <p className="muted small">No checkpoint available.</p>;
  return <StateValues values={data} open={1} />;
}

type Work = Pick<NodeStateProps, 'agent' | 'step' | 'times' | 'isBefore'>;

async function stateAt(runs: Run[], { agent, step, times, isBefore }: Work): Promise<object | null> {
  const checkpoints = (await Promise.all(runs.toReversed().map(readRunCheckpoints))).flat();
  const around = step === undefined ? agent.path : [...agent.path, agent.agent];
  const within = around.length === 0 ? null : around.join('/');
  const name = step ?? agent.agent;
  const made = checkpoints.filter((one) => one.within === within && one.agent?.split(', ').includes(name));
  // Newest first. For a step that ran several times, this is the last one; nodes that ran in parallel share a checkpoint.
  const found = (step === undefined ? made[times - agent.execution] : undefined) ?? made[0];
  const thread = runs[0]?.thread_id;
  const id = isBefore ? found?.parent_id : found?.checkpoint_id;
  return id && thread !== undefined ? (await readCheckpoint(thread, id)).values : null;
}
