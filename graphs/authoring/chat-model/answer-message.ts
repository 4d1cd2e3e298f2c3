/** Converts a model's answer to LangChain's messages: in chunks, and as a whole. */
import {
  AIMessage,
  AIMessageChunk,
  type InvalidToolCall,
  type ToolCall,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import type { AnswerPart } from '../../../tools/models/answer/answer.ts';
import type { Called } from '../../../tools/models/call/call.ts';
import type { TokenUsage } from '../../../tools/models/usage/tokens.ts';

export type Answered = Pick<Called, 'text' | 'toolCalls' | 'model' | 'finish' | 'usage'>;

export function answerMessage(answered: Answered, id: string): AIMessage {
  const tool_calls: ToolCall[] = [];
  const invalid_tool_calls: InvalidToolCall[] = [];
  for (const { id, name, arguments: given } of answered.toolCalls) {
    const args = objectIn(given);
    if (args) tool_calls.push({ type: 'tool_call', id, name, args });
    else
      invalid_tool_calls.push({ type: 'invalid_tool_call', id, name, args: given, error: 'No JSON object.' });
  }
  const { text: content } = answered;
  return new AIMessage({ id, content, tool_calls, invalid_tool_calls, ...ending(answered) });
}

/** A chunk of an answer. Concatenated, the chunks of an answer are its message. */
export function partChunk({ text, toolCalls }: AnswerPart, id: string): ChatGenerationChunk {
  const tool_call_chunks = toolCalls.map(({ arguments: args, ...piece }) => ({
    ...piece,
    args,
    type: 'tool_call_chunk' as const,
  }));
  const message = new AIMessageChunk({ id, content: text, tool_call_chunks });
  return new ChatGenerationChunk({ text, message });
}

/**
 * The last chunk has the finish reason and the usage. Other chunks lack them, because concatenation would repeat their strings.
 */
export function lastChunk(answered: Answered, id: string): ChatGenerationChunk {
  const message = new AIMessageChunk({ id, content: '', ...ending(answered) });
  return new ChatGenerationChunk({ text: '', message });
}

function ending({ model, finish, usage }: Answered) {
  return {
    usage_metadata: usageMetadata(usage),
    response_metadata: { model_name: model, finish_reason: finish },
  };
}

function usageMetadata({ inputTokens, outputTokens }: TokenUsage): UsageMetadata {
  return { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

/** Missing arguments count as an empty object. */
function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json.trim() || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The model wrote the JSON, so invalid JSON is a result, not an error.
  }
  return undefined;
}
