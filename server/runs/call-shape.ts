/** The wire schema of a model call: messages, parameters and result, in the format of OpenAI's chat API. */
import { Type } from '@sinclair/typebox';
import type { RecordedMessage } from '../../runtime/journal/recorded-texts.ts';
import type { WireToolCall } from '../../runtime/replays/call-request.ts';
import type { ToolCall } from '../../tools/models/answer/answer.ts';
import type { EndedCall, ModelParameters } from '../../tools/models/call/call.ts';
import { toUsageBody, UsageBody } from '../http/schemas/usage-schema.ts';
import { callFields } from './agent-shape.ts';

export const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const AnyObject = Type.Record(Type.String(), Type.Unknown());

/** The parameters that were sent with the messages. */
export const parameterFields = {
  temperature: Type.Optional(Type.Number({ description: 'The sampling temperature' })),
  max_tokens: Type.Optional(Type.Integer({ description: 'Maximum number of generated tokens' })),
  stop: Type.Optional(Type.Array(Type.String(), { description: 'Texts at which the model stops' })),
  tools: Type.Optional(Type.Array(AnyObject, { description: 'The tools that the model may call' })),
  tool_choice: Type.Optional(Type.Unknown({ description: 'Whether the model must call a tool, and which' })),
  parallel_tool_calls: Type.Optional(
    Type.Boolean({ description: 'Whether one response may call several tools' }),
  ),
  response_format: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The format of the response, such as a JSON Schema',
    }),
  ),
};

/** The fields of a call that has ended. */
export const endedFields = {
  ...callFields,
  first_token_ms: Type.Union([Type.Number(), Type.Null()], {
    description: 'Time from the start of the call to the first text. Null without text',
  }),
  attempt: Type.Integer({
    description: 'The number of requests to providers. 0 if the call was rejected before it was sent',
  }),
  response: Nullable(
    'The text or the structured output as JSON, with tool calls as text. Null without a usable response',
  ),
  usage: UsageBody,
};

export function toEndedFields(call: Omit<EndedCall, 'messages' | 'sent' | 'parameters'>) {
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

export function toParameterFields({ temperature, maxTokens, stop, format = {} }: ModelParameters) {
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

export function toWireMessage({ role, content, text, toolCalls, toolCallId }: RecordedMessage) {
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
