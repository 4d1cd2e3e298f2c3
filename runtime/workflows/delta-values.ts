/** Reads a checkpoint's values, including delta channels: a checkpoint only contains these if it has a snapshot. */
import {
  type BaseCheckpointSaver,
  type CheckpointTuple,
  type DeltaChannelHistory,
  isDeltaSnapshot,
} from '@langchain/langgraph-checkpoint';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';

interface DeltaChannel {
  fromCheckpoint(seed: unknown): DeltaChannel;
  replayWrites(writes: DeltaChannelHistory['writes']): void;
  readonly value: unknown;
}

// By name: a project's graph uses the class of its own copy of LangGraph.
export function isDeltaChannel(channel: unknown): channel is DeltaChannel {
  return (channel as { lc_graph_name?: string } | undefined)?.lc_graph_name === 'DeltaChannel';
}

/** The reducers of `graph` rebuild delta channels; without a graph they are left out. */
export async function valuesAt(
  checkpointer: BaseCheckpointSaver,
  { config, checkpoint }: CheckpointTuple,
  graph: CompiledGraph | undefined,
): Promise<Record<string, unknown>> {
  const values = Object.fromEntries(
    Object.entries(checkpoint.channel_values).map(([name, value]) => [
      name,
      isDeltaSnapshot(value) ? value.value : value,
    ]),
  );
  const absent = Object.entries(graph?.channels ?? {}).flatMap(([name, channel]) =>
    isDeltaChannel(channel) && !Object.hasOwn(values, name) ? [[name, channel] as const] : [],
  );
  if (absent.length === 0) return values;
  const histories = await checkpointer.getDeltaChannelHistory({
    config,
    channels: absent.map(([name]) => name),
  });
  for (const [name, channel] of absent) {
    const rebuilt = channel.fromCheckpoint(histories[name]?.seed);
    rebuilt.replayWrites(histories[name]?.writes ?? []);
    values[name] = rebuilt.value;
  }
  return values;
}
