/** The schema of a model call in a request: messages, tools and sampling parameters, in the format of OpenAI's chat API. */
import { type Static, Type } from '@sinclair/typebox';
import type { CompletionRequest } from '../../tools/models/endpoint.ts';

export const WireToolCall = Type.Object(
  {
    id: Type.String({ maxLength: 200 }),
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ maxLength: 200 }),
      arguments: Type.String({ description: "The model's JSON, unparsed" }),
    }),
  },
  { title: 'WireToolCall' },
);
export type WireToolCall = Static<typeof WireToolCall>;

export const Role = Type.Union([
  Type.Literal('system'),
  Type.Literal('user'),
  Type.Literal('assistant'),
  Type.Literal('tool'),
]);

const FUNCTION_NAME = '^[A-Za-z0-9_-]{1,64}$';

const Message = Type.Object(
  {
    role: Role,
    content: Type.String(),
    tool_calls: Type.Optional(Type.Array(WireToolCall, { minItems: 1, maxItems: 128 })),
    tool_call_id: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { title: 'ReplayMessage', additionalProperties: true },
);

const Schema = Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema' });

const Tool = Type.Object(
  {
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ pattern: FUNCTION_NAME }),
      description: Type.Optional(Type.String()),
      parameters: Type.Optional(Schema),
      strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
  },
  { title: 'ReplayTool', additionalProperties: true },
);

const ToolChoice = Type.Union([
  ...(['auto', 'none', 'required'] as const).map((choice) => Type.Literal(choice)),
  Type.Object({
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String({ pattern: FUNCTION_NAME }) }),
  }),
]);

const ResponseFormat = Type.Union([
  Type.Object({ type: Type.Union([Type.Literal('text'), Type.Literal('json_object')]) }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ pattern: FUNCTION_NAME }),
      schema: Type.Optional(Schema),
      strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
  }),
]);

const penalty = () => Type.Optional(Type.Number({ minimum: -2, maximum: 2 }));

export const callFields = {
  messages: Type.Array(Message, { minItems: 1, maxItems: 2_000 }),
  model: Type.Optional(
    Type.String({ maxLength: 300, description: 'A chat model of the settings (default: the first)' }),
  ),
  tools: Type.Optional(Type.Array(Tool, { maxItems: 128 })),
  tool_choice: Type.Optional(ToolChoice),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  response_format: Type.Optional(ResponseFormat),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: "Default: the model's value in the settings" }),
  ),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  stop: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { minItems: 1, maxItems: 16 }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  frequency_penalty: penalty(),
  presence_penalty: penalty(),
  task: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'The `task` of the recorded call. Only the built-in offline model uses it (default: chat)',
    }),
  ),
};

const CallRequest = Type.Object(callFields);
export type CallRequest = Static<typeof CallRequest>;
type Message = Static<typeof Message>;

export function toCompletionRequest({
  messages,
  task = 'chat',
  temperature,
  max_tokens: maxTokens,
  stop,
  ...body
}: CallRequest): CompletionRequest {
  return {
    task,
    messages: messages.map(toPlainMessage),
    sent: messages.map(toSentMessage),
    ...(temperature !== undefined && { temperature }),
    ...{ maxTokens, stop, format: formatOf(body) },
  };
}

/** The message with its tool calls as text, for token counts and logs. */
function toPlainMessage({ role, content, tool_calls = [] }: Message): CompletionRequest['messages'][number] {
  const calls = tool_calls.map((call) => `${call.function.name}(${call.function.arguments})`);
  return { role, content: [content, ...calls].filter((part) => part !== '').join('\n') };
}

/** Drops unknown fields. */
function toSentMessage({ role, content, tool_calls, tool_call_id }: Message): object {
  return {
    ...{ role, content },
    ...(tool_calls && {
      tool_calls: tool_calls.map(({ id, type, function: { name, arguments: given } }) => ({
        ...{ id, type, function: { name, arguments: given } },
      })),
    }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
}

type Rest = Omit<CallRequest, 'messages' | 'task' | 'temperature' | 'max_tokens' | 'stop'>;

/** Leaves out fields that are not set, because some providers reject them. Returns undefined if there are none. */
function formatOf({ tools = [], ...body }: Rest): Record<string, unknown> | undefined {
  const { tool_choice, parallel_tool_calls, response_format, top_p, seed } = body;
  const { frequency_penalty, presence_penalty } = body;
  const fields = {
    ...{ tools: tools.length > 0 ? tools : undefined, tool_choice, parallel_tool_calls, response_format },
    ...{ top_p, seed, frequency_penalty, presence_penalty },
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
