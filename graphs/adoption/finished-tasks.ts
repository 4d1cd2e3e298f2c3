/** The tasks whose work is in the checkpoints that a graph continues from: LangGraph names them again but does not run them. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/** Writes of a task that has not finished. */
const UNFINISHED = ['__interrupt__', '__error__', '__error_source_node__', '__resume__', '__scheduled__'];

/** Watches what `saver`, which belongs to one run, gives its graph to read. */
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
