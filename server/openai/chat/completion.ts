/** A turn's end as a chat completion. */
import type { EndedRun } from '../../../runtime/run/ended-run.ts';
import type { Usage } from '../../../state/runs.ts';
import { interruptCalls } from '../interrupt-calls.ts';
import { unansweredQuestion } from '../thread.ts';
import type { Completion } from './schema.ts';

/** What all pieces of an answer have. */
export interface CompletionHead {
  id: string;
  created: number;
  model: string;
  /** The thread of the turn; absent where it leaves none. */
  metadata?: { thread_id: string };
}

type ToolCalls = NonNullable<Completion['choices'][number]['message']['tool_calls']>;

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
        finish_reason: finishOf(calls),
      },
    ],
    usage: toUsage(ended.usage),
    ...(metadata && { metadata }),
  };
}

export function finishOf(calls: unknown[]): 'stop' | 'tool_calls' {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Of a turn without a thread, nobody can answer: throws INVALID_REQUEST. */
export function toolCalls({ metadata }: CompletionHead, { result }: EndedRun): ToolCalls {
  const calls = interruptCalls(result);
  if (calls.length > 0 && !metadata)
    throw unansweredQuestion('metadata.thread_id: name a thread, on which the question can be answered');
  return calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
}

export function toUsage({ inputTokens, outputTokens }: Usage): Completion['usage'] {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
