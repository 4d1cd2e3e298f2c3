/** Converts an ended run to the response of the chat endpoint. */
import { asJson, chatMessageJson } from '../../graphs/adoption/message-json.ts';
import type { EndedRun } from '../../runtime/run/ending/ended-run.ts';
import { isInterrupted } from '../../state/threads/runs.ts';
import { turnTokens, turnUsage } from '../../state/usage/turn-usage.ts';
import { toUsageBody } from '../http/schemas/usage-schema.ts';
import { toInterruptBodies } from './interrupts.ts';
import type { ChatResponse } from './schema.ts';

export function toChatResponse(ended: EndedRun): ChatResponse {
  const { runId, threadId, messageId, workflow, request, result, values } = ended;
  const used = turnUsage(ended);
  return {
    thread_id: threadId,
    message_id: messageId,
    agent_response: result.agentResponse,
    token_count: turnTokens(ended),
    ...(used.cost !== undefined && { usage: toUsageBody(used) }),
    followup_questions: result.followupQuestions,
    topic: request.topic ?? null,
    memory_summary: result.memorySummary,
    event_type: isInterrupted(result) ? 'interrupt' : (request.eventType ?? null),
    run_id: runId,
    workflow,
    model: result.model,
    outputs: result.outputs.map(({ agent, content, data }) => ({ agent, content, data })),
    ...toInterruptBodies(result),
    values: asJson(values ?? null, chatMessageJson) ?? null,
  };
}
