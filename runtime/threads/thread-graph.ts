/** Returns the graph with which a thread's state is read and changed. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { withPersistence } from '../../graphs/authoring/persistence/lend-persistence.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { inTime, notMade } from '../../graphs/discovery/in-time.ts';
import type { Archive, StoredThread } from '../../state/threads/archive.ts';
import type { Registry } from '../workflows/registry.ts';

export interface ThreadGraphParts {
  /** Takes the thread's key as `thread_id`, so the returned configs contain the key and not the public id. */
  checkpointer: BaseCheckpointSaver;
  registry: Registry;
  archive: Pick<Archive, 'runs'>;
}

/** Returns undefined for a thread without a turn. Throws INVALID_WORKFLOW_TYPE. */
export type ThreadGraph = (thread: StoredThread) => Promise<CompiledGraph | undefined>;

export function threadGraphs({ checkpointer, registry, archive }: ThreadGraphParts): ThreadGraph {
  return async (thread) => {
    if (thread.workflow === '') return undefined;
    const { graph, adopted } = registry.runnable(thread.workflow);
    // A graph factory gets the config of the thread's last run.
    const made = adopted?.isMade ? await inTime(adopted.graphFor(await lastConfig(thread)), notMade) : graph;
    return withPersistence(made, { checkpointer });
  };

  async function lastConfig({ owner, key, threadId }: StoredThread) {
    const { items } = await archive.runs({ owner, thread: key }, { limit: 1 });
    const request = items[0]?.request;
    return { configurable: { ...request?.configurable, thread_id: threadId }, context: request?.context };
  }
}
