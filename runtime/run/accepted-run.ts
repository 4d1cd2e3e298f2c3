/** An accepted run before it starts, and the values that are derived from it. */
import type { Run } from '../../state/threads/runs.ts';

export type AcceptedRun = Pick<
  Run,
  'runId' | 'owner' | 'threadId' | 'messageId' | 'workflow' | 'request' | 'createdAt'
> &
  Partial<Pick<Run, 'usage' | 'notBefore'>>;

/** The body of the run's first log entry. */
export function runEntryBody({ runId, threadId, messageId, workflow }: AcceptedRun) {
  return { run_id: runId, thread_id: threadId, message_id: messageId, workflow };
}

/** Seconds until `notBefore`, when the run may be queued; 0 without one. */
export function delaySeconds({ notBefore }: AcceptedRun): number {
  return Math.max(0, ((notBefore ?? 0) - Date.now()) / 1000);
}

/** The metadata of the run's checkpoints, by which LangGraph's clients find them; undefined for runs of the chat API. */
export function checkpointMetadata({ runId, threadId, workflow, request }: AcceptedRun) {
  const { protocol } = request;
  if (!protocol) return undefined;
  const own = { run_id: runId, thread_id: threadId, graph_id: workflow, assistant_id: protocol.assistantId };
  return { ...protocol.metadata, ...own };
}
