/** Converts a run's log to LangGraph's stream events, for runs of any protocol. */
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { LogEntry } from '../../../state/threads/events.ts';
import type { Run } from '../../../state/threads/runs.ts';
import type { Services } from '../../services.ts';
import { CHAT_MODES, withPieces } from './chat-pieces.ts';
import { type LangGraphEvent, streamEvents } from './stream-events.ts';

export type StreamedRun = Pick<Run, 'runId' | 'owner' | 'threadId' | 'workflow' | 'request'>;

/** Returns a function that converts each entry to events. Pass the entries in order, starting with the run's first. */
export function runView(
  { archive, states }: Pick<Services, 'archive' | 'states'>,
  { runId, owner, threadId, workflow, request: { protocol } }: StreamedRun,
): (entry: LogEntry) => Promise<LangGraphEvent[]> {
  const eventsOf = streamEvents({
    ...{ runId, threadId, graphId: workflow, modes: protocol?.streamModes ?? CHAT_MODES },
    assistantId: protocol?.assistantId ?? assistantId(workflow),
    subgraphs: protocol?.streamSubgraphs ?? true,
    async valuesAt(checkpointId) {
      const thread = await archive.threads.find(owner, threadId);
      return thread && states.values(thread, checkpointId);
    },
  });
  if (protocol) return eventsOf;
  // Convert sequentially, because each entry takes the next event ids.
  return async (entry) => {
    const events: LangGraphEvent[] = [];
    for (const piece of withPieces(entry)) events.push(...(await eventsOf(piece)));
    return events;
  };
}
