/** Finds the checkpoints from which a fork starts: that of the root graph, and those of subgraphs down to the requested one. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Archive, CheckpointKey, StoredCheckpoint } from '../../state/threads/archive.ts';

export interface ForkPoint {
  /** The requested checkpoint. */
  at: StoredCheckpoint;
  /** The requested checkpoint, or for a subgraph's that of the root graph from which the subgraph was started. */
  root: StoredCheckpoint;
  /** The checkpoints of the subgraphs; empty for a checkpoint of the root graph. */
  inside: CheckpointKey[];
}

interface ForkPointParts {
  archive: Pick<Archive, 'checkpoints'>;
  checkpointer: BaseCheckpointSaver;
}

/** Undefined if the checkpoint, or the root checkpoint that its subgraph was started from, does not exist. */
export async function findForkPoint(
  { archive, checkpointer }: ForkPointParts,
  key: string,
  id: string,
): Promise<ForkPoint | undefined> {
  const at = await archive.checkpoints.findAny(key, id);
  if (!at || at.namespace === '') return at && { at, root: at, inside: [] };
  const { namespace } = at;
  const config = { configurable: { thread_id: key, checkpoint_ns: namespace, checkpoint_id: id } };
  const tuple = await checkpointer.getTuple(config);
  const { '': rootId, ...around }: Record<string, string> = { ...tuple?.metadata?.parents };
  const root = rootId === undefined ? undefined : await archive.checkpoints.find(key, rootId);
  if (!root) return undefined;
  const inside = Object.entries(around).map(([namespace, checkpointId]) => ({ namespace, checkpointId }));
  return { at, root, inside: [...inside, { namespace, checkpointId: id }] };
}
