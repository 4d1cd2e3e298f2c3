/** A turn's end as the chat endpoint answers it. */
import type { EndedRun } from '../../runtime/run/active-run.ts';
import { turnTokens } from '../../state/turn-usage.ts';
import type { ChatResponse } from './schema.ts';

export function toChatResponse(ended: EndedRun): ChatResponse {
  const { runId, threadId, messageId, workflow, request, result } = ended;
  return {
    thread_id: threadId,
    message_id: messageId,
    agent_response: result.agentResponse,
    token_count: turnTokens(ended),
    followup_questions: result.followupQuestions,
    topic: request.topic ?? null,
    memory_summary: result.memorySummary,
    event_type: result.interrupt ? 'interrupt' : (request.eventType ?? null),
    run_id: runId,
    workflow,
    model: result.model,
    outputs: result.outputs.map(({ agent, content, data }) => ({ agent, content, data })),
    interrupt: result.interrupt && {
      interrupt_id: result.interrupt.interruptId,
      value: result.interrupt.value,
    },
  };
}
