/** The graph that a thread's state is read and changed with. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { withPersistence } from '../../graphs/authoring/lend-persistence.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { inTime, notMade } from '../../graphs/discovery/in-time.ts';
import type { Archive, StoredThread } from '../../state/archive.ts';
import type { Registry } from '../workflows/registry.ts';

export interface ThreadGraphParts {
  /** By the thread's key: what comes out names that and not the thread. */
  checkpointer: BaseCheckpointSaver;
  registry: Registry;
  archive: Pick<Archive, 'runs'>;
}

/** Undefined for a thread that has had no turn. Throws INVALID_WORKFLOW_TYPE. */
export type ThreadGraph = (thread: StoredThread) => Promise<CompiledGraph | undefined>;

export function threadGraphs({ checkpointer, registry, archive }: ThreadGraphParts): ThreadGraph {
  return async (thread) => {
    if (thread.workflow === '') return undefined;
    const { graph, adopted } = registry.runnable(thread.workflow);
    // A function that makes graphs is called as for the thread's last run.
    const made = adopted?.isMade ? await inTime(adopted.graphFor(await lastConfig(thread)), notMade) : graph;
    return withPersistence(made, { checkpointer });
  };

  async function lastConfig({ owner, key, threadId }: StoredThread) {
    const { items } = await archive.runs({ owner, thread: key }, { limit: 1 });
    const { configurable, context } = items[0]?.request ?? {};
    return { configurable: { ...configurable, thread_id: threadId }, context };
  }
}
