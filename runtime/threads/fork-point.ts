/** Where a fork starts: the checkpoint of the root graph, and those of the graphs inside that lead to the one asked for. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Archive, CheckpointKey, StoredCheckpoint } from '../../state/archive.ts';

export interface ForkPoint {
  /** The checkpoint that was asked for. */
  at: StoredCheckpoint;
  /** Its own, or that of the root graph from which its graph was started. */
  root: StoredCheckpoint;
  /** Empty where it is of the root graph. */
  inside: CheckpointKey[];
}

interface ForkPointParts {
  archive: Pick<Archive, 'checkpoints'>;
  checkpointer: BaseCheckpointSaver;
}

/** Undefined where it is not there, or the checkpoint that it was started from is not. */
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
  const { '': rootId, ...around } = tuple?.metadata?.parents ?? {};
  const root = rootId === undefined ? undefined : await archive.checkpoints.find(key, rootId);
  if (!root) return undefined;
  const inside = Object.entries(around).map(([namespace, checkpointId]) => ({ namespace, checkpointId }));
  return { at, root, inside: [...inside, { namespace, checkpointId: id }] };
}
