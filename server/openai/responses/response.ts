/** Converts a run to the body of a response. */
import type { Run, RunStatus } from '../../../state/threads/runs.ts';
import { responseId } from './ids.ts';
import type { OutputItem } from './schema.ts';

const STATUSES = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  interrupted: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RunStatus, string>;

/** Times are in seconds since 1970. An interrupted run is `completed`: its output has the calls to answer. */
export function toResponse(run: Run, output: OutputItem[]) {
  const { runId, threadId, workflow, status, request, usage, createdAt, finishedAt, error } = run;
  const { response, temporary } = request;
  const failure = status === 'failed' && error ? error : undefined;
  return {
    id: responseId(runId),
    object: 'response' as const,
    created_at: secondsOf(createdAt),
    completed_at: status === 'succeeded' || status === 'interrupted' ? secondsOf(finishedAt ?? 0) : null,
    status: STATUSES[status],
    background: response?.background ?? false,
    error: failure ? { code: failure.error_code, message: failure.detail ?? failure.message } : null,
    incomplete_details: null,
    instructions: response?.instructions ?? null,
    max_output_tokens: response?.maxOutputTokens ?? null,
    model: workflow,
    output,
    previous_response_id: response?.previousId ?? null,
    conversation: response?.conversationId === undefined ? null : { id: response.conversationId },
    store: response?.store ?? false,
    usage: finishedAt === null ? null : toUsage(usage),
    ...(request.userId !== undefined && { user: request.userId }),
    metadata: { ...response?.metadata, ...(!temporary && { thread_id: threadId }) },
    ...MODEL_FIELDS,
  };
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** Fields that only apply to models, with the values that clients expect. */
const MODEL_FIELDS = {
  access_programs: null,
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  service_tier: 'default' as const,
  temperature: null,
  text: { format: { type: 'text' as const } },
  tool_choice: 'auto' as const,
  tools: [],
  top_p: null,
  truncation: 'disabled' as const,
};

function toUsage({ inputTokens, outputTokens }: Run['usage']) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
