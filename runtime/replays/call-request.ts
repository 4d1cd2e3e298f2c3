/** The schema of a model call in a request: messages, tools and sampling parameters, in the format of OpenAI's chat API. */
import { type Static, Type } from '@sinclair/typebox';
import type { CompletionRequest } from '../../tools/models/provider/endpoint.ts';

const FunctionType = Type.Literal('function', { description: 'Always function' });

export const WireToolCall = Type.Object(
  {
    id: Type.String({ maxLength: 200, description: "The model's id of the call" }),
    type: FunctionType,
    function: Type.Object(
      {
        name: Type.String({ maxLength: 200, description: 'The name of the tool' }),
        arguments: Type.String({ description: "The model's JSON, unparsed" }),
      },
      { description: 'The tool and its arguments' },
    ),
  },
  { title: 'WireToolCall' },
);
export type WireToolCall = Static<typeof WireToolCall>;

export const Role = Type.Union(
  [Type.Literal('system'), Type.Literal('user'), Type.Literal('assistant'), Type.Literal('tool')],
  { description: 'The author of the message' },
);

const FunctionName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'the name of a function: 1 to 64 letters, digits, underscores or hyphens',
});

const Strict = Type.Optional(
  Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether the model must follow the schema exactly',
  }),
);

const Message = Type.Object(
  {
    role: Role,
    content: Type.String({ description: 'The text of the message' }),
    tool_calls: Type.Optional(
      Type.Array(WireToolCall, { minItems: 1, maxItems: 128, description: "The assistant's tool calls" }),
    ),
    tool_call_id: Type.Optional(
      Type.String({ maxLength: 200, description: 'The tool call that this is the result of' }),
    ),
  },
  { title: 'ReplayMessage', additionalProperties: true },
);

const Schema = Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema' });

const Tool = Type.Object(
  {
    type: FunctionType,
    function: Type.Object(
      {
        name: FunctionName,
        description: Type.Optional(Type.String({ description: 'What the function does, for the model' })),
        parameters: Type.Optional(Schema),
        strict: Strict,
      },
      { description: 'A function that the model may call' },
    ),
  },
  { title: 'ReplayTool', additionalProperties: true },
);

const ToolChoice = Type.Union(
  [
    ...(['auto', 'none', 'required'] as const).map((choice) => Type.Literal(choice)),
    Type.Object({
      type: FunctionType,
      function: Type.Object({ name: FunctionName }, { description: 'The function that the model must call' }),
    }),
  ],
  { description: 'Whether the model must call a tool, and which' },
);

const FormatName = Type.String({
  ...FunctionName,
  description: 'the name of a schema: 1 to 64 letters, digits, underscores or hyphens',
});

const ResponseFormat = Type.Union(
  [
    Type.Object({
      type: Type.Union([Type.Literal('text'), Type.Literal('json_object')], {
        description: 'text, json_object or json_schema',
      }),
    }),
    Type.Object({
      type: Type.Literal('json_schema'),
      json_schema: Type.Object(
        {
          name: FormatName,
          schema: Type.Optional(Schema),
          strict: Strict,
        },
        { description: 'The schema of the response, for the type json_schema' },
      ),
    }),
  ],
  { description: 'The format of the response' },
);

const penalty = (description: string) => Type.Optional(Type.Number({ minimum: -2, maximum: 2, description }));

export const callFields = {
  messages: Type.Array(Message, { minItems: 1, maxItems: 2_000, description: 'The messages to send' }),
  model: Type.Optional(
    Type.String({ maxLength: 300, description: 'A chat model of the settings (default: the first)' }),
  ),
  tools: Type.Optional(Type.Array(Tool, { maxItems: 128, description: 'The tools that the model may call' })),
  tool_choice: Type.Optional(ToolChoice),
  parallel_tool_calls: Type.Optional(
    Type.Boolean({ description: 'Whether one response may call several tools' }),
  ),
  response_format: Type.Optional(ResponseFormat),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: "Default: the model's value in the settings" }),
  ),
  top_p: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The share of the probability from which tokens are sampled',
    }),
  ),
  max_tokens: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'Maximum number of generated tokens' }),
  ),
  stop: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
      minItems: 1,
      maxItems: 16,
      description: 'Texts at which the model stops',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: -Number.MAX_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Makes sampling repeatable, if the provider supports it',
    }),
  ),
  frequency_penalty: penalty('Above 0, tokens that occur often become less likely'),
  presence_penalty: penalty('Above 0, tokens that occur at all become less likely'),
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
