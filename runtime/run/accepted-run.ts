/** A run as it was accepted, and what others read of it before it starts. */
import type { Run } from '../../state/runs.ts';

export type AcceptedRun = Pick<
  Run,
  'runId' | 'owner' | 'threadId' | 'messageId' | 'workflow' | 'request' | 'createdAt'
> &
  Partial<Pick<Run, 'usage' | 'notBefore'>>;

/** The body of its first log entry. */
export function runEntryBody({ runId, threadId, messageId, workflow }: AcceptedRun) {
  return { run_id: runId, thread_id: threadId, message_id: messageId, workflow };
}

/** How many seconds it is to wait before it begins to wait for its turn. */
export function delaySeconds({ notBefore }: AcceptedRun): number {
  return Math.max(0, ((notBefore ?? 0) - Date.now()) / 1000);
}

/** What LangGraph's clients find with a checkpoint, and search for. */
export function checkpointMetadata({ runId, threadId, workflow, request }: AcceptedRun) {
  const { protocol } = request;
  if (!protocol) return undefined;
  const own = { run_id: runId, thread_id: threadId, graph_id: workflow, assistant_id: protocol.assistantId };
  return { ...protocol.metadata, ...own };
}
