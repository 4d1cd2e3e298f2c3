/** Writes a checkpoint with changed values after another one, from which a run can continue. */
import { START } from '@langchain/langgraph';
import { type BaseCheckpointSaver, uuid6 } from '@langchain/langgraph-checkpoint';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import type { StoredCheckpoint } from '../../state/threads/archive.ts';
import { isDeltaChannel } from '../workflows/delta-values.ts';
import type { Channel } from './checkpoint-values.ts';

export interface StateEdit {
  /** Reads and writes the checkpoints. */
  checkpointer: BaseCheckpointSaver;
  /** The root graph, with that saver. */
  graph: CompiledGraph;
  /** The checkpoint's graph: the root graph or a subgraph. */
  own: CompiledGraph;
  thread: string;
  at: StoredCheckpoint;
  /** By channel, in the form that its reducer accepts. */
  values: Record<string, unknown>;
}

/**
 * Returns the id of the new checkpoint. If the step that wrote the old one ended in conditional edges, these are evaluated
 * again, as if the step's nodes had returned the values. Otherwise the next nodes and their pending sends are unchanged.
 */
export async function editedState(edit: StateEdit): Promise<string> {
  const { own, at, values } = edit;
  const makers = makersOf(at).filter((name) => name in own.nodes);
  const decides = (name: string) => Object.keys(own.builder?.branches?.[name] ?? {}).length > 0;
  // A delta channel is rebuilt from the writes of nodes, so its change must be stored as the write of a node.
  const isDelta = Object.keys(values).some((channel) => isDeltaChannel(own.channels[channel]));
  if (isDelta || makers.some(decides)) return asIfGiven(edit, makers.toSorted(byDeciding(decides)));
  return withValues(edit);
}

/** The nodes of the step that wrote the checkpoint. */
function makersOf({ agents, source, step }: StoredCheckpoint): string[] {
  if (agents.length > 0) return agents;
  return source === 'loop' && step >= 0 ? [START] : [];
}

function byDeciding(decides: (name: string) => boolean) {
  return (a: string, b: string) => Number(decides(b)) - Number(decides(a));
}

async function asIfGiven(
  { graph, thread, at, values }: StateEdit,
  [first = START, ...others]: string[],
): Promise<string> {
  const config = {
    configurable: { thread_id: thread, checkpoint_ns: at.namespace, checkpoint_id: at.checkpointId },
  };
  const updates = [
    { values, asNode: first },
    // The other nodes of the step write nothing, but their edges apply again.
    ...others.map((asNode) => ({ values: {}, asNode })),
  ];
  const { configurable } = await graph.bulkUpdateState(config, [{ updates }]);
  return String(configurable?.checkpoint_id);
}

/** Doesn't use LangGraph's `updateState`, which would drop pending sends and the destination of a command. */
async function withValues({ checkpointer, own, thread, at, values }: StateEdit): Promise<string> {
  const { namespace, checkpointId } = at;
  const config = {
    configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpointId },
  };
  const tuple = await checkpointer.getTuple(config);
  if (!tuple) throw new Error(`checkpoint ${checkpointId} was not copied`);
  const { checkpoint } = tuple;
  const newest = Math.max(0, ...Object.values(checkpoint.channel_versions).map(Number));
  const version = checkpointer.getNextVersion(newest);
  const changed = Object.entries(values).map(([name, value]) => {
    const channel = (own.channels[name] as Channel).fromCheckpoint(checkpoint.channel_values[name]);
    channel.update([value]);
    return [name, channel.checkpoint()] as const;
  });
  const versions = Object.fromEntries(changed.map(([name]) => [name, version]));
  const step = at.step + 1;
  const next = {
    ...checkpoint,
    id: uuid6(step),
    ts: new Date().toISOString(),
    channel_values: { ...checkpoint.channel_values, ...Object.fromEntries(changed) },
    channel_versions: { ...checkpoint.channel_versions, ...versions },
  };
  const parents = { ...tuple.metadata?.parents };
  await checkpointer.put(tuple.config, next, { source: 'update', step, parents }, versions);
  return next.id;
}
