/**
 * Finds tasks that have already finished at the checkpoint from which a graph continues. LangGraph lists them again, but does
 * not run them.
 */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/** Writes that don't mean that a task has finished. */
const UNFINISHED = ['__interrupt__', '__error__', '__error_source_node__', '__resume__', '__scheduled__'];

/** Collects their ids from what the graph reads through `saver`, which belongs to one run. */
export function finishedTasks(saver: BaseCheckpointSaver): ReadonlySet<string> {
  const finished = new Set<string>();
  const read = saver.getTuple.bind(saver);
  saver.getTuple = async (config) => {
    const tuple = await read(config);
    for (const [taskId, channel] of tuple?.pendingWrites ?? [])
      if (!UNFINISHED.includes(channel)) finished.add(taskId);
    return tuple;
  };
  return finished;
}
