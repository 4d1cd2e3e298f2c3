/** The schema of a run in LangGraph's API, and the conversion of stored runs to it. */
import { type Static, Type } from '@sinclair/typebox';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { Run as StoredRun, RunStatus as StoredStatus } from '../../../state/threads/runs.ts';
import { JsonObject } from '../json-object.ts';

const Time = Type.String({ format: 'date-time' });

export const RunStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('running'),
  Type.Literal('error'),
  Type.Literal('success'),
  Type.Literal('timeout'),
  Type.Literal('interrupted'),
]);
export type RunStatus = Static<typeof RunStatus>;

export const Run = Type.Object(
  {
    run_id: Type.String(),
    thread_id: Type.String(),
    assistant_id: Type.String(),
    created_at: Time,
    updated_at: Time,
    status: RunStatus,
    metadata: JsonObject,
    kwargs: JsonObject,
    multitask_strategy: Type.String(),
  },
  { title: 'LangGraphRun' },
);
export type Run = Static<typeof Run>;

/** An interrupted run counts as successful: in LangGraph's API, the thread waits, not the run. */
const STATUSES: Record<StoredStatus, RunStatus> = {
  queued: 'pending',
  running: 'running',
  succeeded: 'success',
  interrupted: 'success',
  failed: 'error',
  cancelled: 'interrupted',
};

export function statusOf({ status, error }: Pick<StoredRun, 'status' | 'error'>): RunStatus {
  return error?.error_code === 'RUN_TIMEOUT' ? 'timeout' : STATUSES[status];
}

export function runBody(run: StoredRun): Run {
  const { runId, threadId, workflow, request, createdAt, startedAt, finishedAt } = run;
  const { protocol } = request;
  return {
    run_id: runId,
    thread_id: threadId,
    assistant_id: protocol?.assistantId ?? assistantId(workflow),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(finishedAt ?? startedAt ?? createdAt).toISOString(),
    status: statusOf(run),
    metadata: protocol?.metadata ?? {},
    kwargs: kwargsOf(run),
    multitask_strategy: protocol?.strategy ?? 'enqueue',
  };
}

/** The request of the run, in the form in which LangGraph's servers return it. */
function kwargsOf({ request, runId, threadId, workflow }: StoredRun): Record<string, unknown> {
  const { input, context, configurable, recursionLimit, interruptBefore, interruptAfter, protocol } = request;
  const { tags, command, streamModes, streamSubgraphs, webhook, checkpoint } = protocol ?? {};
  return {
    input: input ?? null,
    ...(command && { command }),
    ...(checkpoint && { checkpoint }),
    config: {
      ...(tags && { tags }),
      ...(recursionLimit !== undefined && { recursion_limit: recursionLimit }),
      configurable: { ...configurable, run_id: runId, thread_id: threadId, graph_id: workflow },
      metadata: protocol?.metadata ?? {},
    },
    ...(context !== undefined && { context }),
    stream_mode: streamModes ?? [],
    subgraphs: streamSubgraphs ?? false,
    ...(interruptBefore && { interrupt_before: interruptBefore }),
    ...(interruptAfter && { interrupt_after: interruptAfter }),
    ...(webhook !== undefined && { webhook }),
    temporary: request.temporary ?? false,
  };
}
