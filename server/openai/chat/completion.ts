/** Converts an ended run to a chat completion. */
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import type { Usage } from '../../../state/threads/runs.ts';
import { interruptCalls } from '../interrupt-calls.ts';
import { unanswerableInterrupt } from '../thread.ts';
import type { Completion } from './schema.ts';

/** The fields that a completion and all its chunks have. */
export interface CompletionHead {
  id: string;
  created: number;
  model: string;
  /** The thread of the turn; missing if the turn's thread is not kept. */
  metadata?: { thread_id: string };
}

type ToolCalls = NonNullable<Completion['choices'][number]['message']['tool_calls']>;

/** Throws INVALID_REQUEST like `toolCalls`. */
export function toCompletion(head: CompletionHead, ended: EndedRun): Completion {
  const calls = toolCalls(head, ended);
  const content = ended.result.agentResponse;
  const { metadata, ...rest } = head;
  return {
    ...{ ...rest, object: 'chat.completion' },
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && calls.length > 0 ? null : content,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason(calls),
      },
    ],
    usage: toUsage(ended.usage),
    ...(metadata && { metadata }),
  };
}

export function finishReason(calls: unknown[]): 'stop' | 'tool_calls' {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** The interrupts of a run as tool calls. Throws INVALID_REQUEST if the thread is not kept, because no one could answer. */
export function toolCalls({ metadata }: CompletionHead, { result }: EndedRun): ToolCalls {
  const calls = interruptCalls(result);
  if (calls.length > 0 && !metadata)
    throw unanswerableInterrupt('metadata.thread_id: required, so that the interrupt can be answered');
  return calls.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
}

export function toUsage({ inputTokens, outputTokens }: Usage): Completion['usage'] {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
