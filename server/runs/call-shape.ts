/** A model call on the wire: its messages, what is sent beside them, and what came of it, in the shapes of OpenAI's chat API. */
import { Type } from '@sinclair/typebox';
import type { KeptMessage } from '../../runtime/journal/kept-texts.ts';
import type { WireToolCall } from '../../runtime/replays/call-request.ts';
import type { ToolCall } from '../../tools/models/answer.ts';
import type { Asked, EndedCall } from '../../tools/models/call.ts';
import { toUsageBody, UsageBody } from '../http/usage-schema.ts';
import { callFields } from './agent-shape.ts';

export const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Anything = Type.Record(Type.String(), Type.Unknown());

/** What was sent beside the messages; absent where it was not. */
export const askedFields = {
  temperature: Type.Optional(Type.Number()),
  max_tokens: Type.Optional(Type.Integer()),
  stop: Type.Optional(Type.Array(Type.String())),
  tools: Type.Optional(Type.Array(Anything)),
  tool_choice: Type.Optional(Type.Unknown()),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  response_format: Type.Optional(Anything),
};

/** What is known of a call at its end. */
export const endedFields = {
  ...callFields,
  first_token_ms: Type.Union([Type.Number(), Type.Null()], {
    description: 'From the start of the call; null where no text came',
  }),
  attempt: Type.Integer({
    description: 'How many times a provider was asked; 0: the call was refused before',
  }),
  response: Nullable(
    'Text, or the JSON that was asked for, and tool calls in words; null where nothing usable came',
  ),
  usage: UsageBody,
};

export function toEndedFields(call: Omit<EndedCall, 'messages' | 'sent' | 'asked'>) {
  const { model, task, startedAt, durationMs, firstTokenMs, attempts, response, usage } = call;
  return {
    ...{ model, task, response, attempt: attempts },
    started_at: new Date(startedAt).toISOString(),
    duration_ms: durationMs,
    first_token_ms: firstTokenMs,
    usage: toUsageBody(usage),
    ...(call.errorCode === undefined ? {} : { error_code: call.errorCode }),
    ...(call.errorDetail === undefined ? {} : { error_detail: call.errorDetail }),
  };
}

export function toAskedFields({ temperature, maxTokens, stop, format = {} }: Asked) {
  const { tools, tool_choice, parallel_tool_calls, response_format } = format as Format;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stop !== undefined && { stop }),
    ...(tools !== undefined && { tools }),
    ...(tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    ...(response_format !== undefined && { response_format }),
  };
}

interface Format {
  tools?: Record<string, unknown>[];
  tool_choice?: unknown;
  parallel_tool_calls?: boolean;
  response_format?: Record<string, unknown>;
}

export function toWireMessage({ role, content, text, toolCalls, toolCallId }: KeptMessage) {
  return {
    ...{ role, content },
    ...(text !== undefined && { text }),
    ...(toolCalls && { tool_calls: toolCalls.map(toWireToolCall) }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}

export function toWireToolCall({ id, name, arguments: given }: ToolCall): WireToolCall {
  return { id, type: 'function', function: { name, arguments: given } };
}
