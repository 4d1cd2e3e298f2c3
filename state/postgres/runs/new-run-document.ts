/** A new run as the argument of `accept_v1`. Missing values are left out, because the function tests for the keys. */
import { ttlColumns } from '../../driver/thread-ttl.ts';
import type { NewRun } from '../../threads/runs.ts';

export function newRunDocument(run: NewRun) {
  const { runId, messageId, owner, threadId, title, workflow, request, createdAt, notBefore, idempotency } =
    run;
  const { resume, supersedes, temporary, protocol, response } = request;
  const [ttl, ttlStrategy] = ttlColumns(run.threadTtl);
  return {
    ...{ runId, messageId, owner, threadId, title, workflow, createdAt },
    // As text, because jsonb does not keep the order of fields.
    request: JSON.stringify(request),
    protocol: protocol ? 1 : 0,
    supersedes: supersedes ? 1 : 0,
    temporary: temporary ? 1 : 0,
    ...(notBefore !== undefined && { notBefore }),
    ...(resume && { resumes: resume.runId }),
    ...(idempotency && { key: idempotency.key, digest: idempotency.digest }),
    ...(ttl !== null && { ttl, ttlStrategy }),
    ...(run.follows && { follows: run.follows }),
    ...(protocol && { stamp: { graph_id: workflow, assistant_id: protocol.assistantId } }),
    // Any `stamp` makes the thread keep all its checkpoints.
    ...(response?.store && { stamp: {} }),
    ...replacing(run),
  };
}

/** Which runs of the thread the new run replaces. */
function replacing({ request: { supersedes, protocol } }: NewRun) {
  if (supersedes) return { replaces: 'superseded' };
  const { strategy } = protocol ?? {};
  return strategy === 'interrupt' || strategy === 'rollback' ? { replaces: strategy } : {};
}
