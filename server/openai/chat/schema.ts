/** The shapes of chat completions on the wire. */
import { type Static, Type } from '@sinclair/typebox';
import { Content } from '../content.ts';
import { refusedParameters } from '../refused-parameters.ts';
import { literals, optional } from '../schema-parts.ts';

const Message = Type.Object(
  {
    role: literals('system', 'developer', 'user', 'assistant', 'tool'),
    content: optional(Content),
    tool_call_id: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: true },
);
export type Message = Static<typeof Message>;

export const CompletionRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: "A workflow's name" }),
    messages: Type.Array(Message, {
      minItems: 1,
      description:
        'On a thread the last one is the turn and the others are ignored; without a thread they are the whole conversation',
    }),
    metadata: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: '`thread_id` names the thread, as the header X-Thread-Id does',
      }),
    ),
    stream: optional(Type.Boolean()),
    stream_options: optional(
      Type.Object({ include_usage: optional(Type.Boolean()) }, { additionalProperties: true }),
    ),
    max_completion_tokens: optional(
      Type.Integer({ minimum: 1, description: 'Tokens that the turn may use, input and output together' }),
    ),
    user: optional(Type.String({ maxLength: 1_000, description: 'A label that is stored with the message' })),
    ...refusedParameters,
  },
  {
    title: 'OpenAIChatCompletionRequest',
    additionalProperties: true,
    description: 'Sampling parameters are accepted and have no effect',
  },
);
export type CompletionRequest = Static<typeof CompletionRequest>;

const ToolCall = Type.Object({
  id: Type.String({ description: 'Answered by a message of the role `tool` with this tool_call_id' }),
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.Literal('resume'),
    arguments: Type.String({ description: 'What the workflow asks, as JSON' }),
  }),
});

const Usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

const ThreadMetadata = Type.Optional(
  Type.Object({ thread_id: Type.String() }, { description: 'Absent where the turn leaves no thread' }),
);

export const Completion = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Type.Union([Type.String(), Type.Null()], { description: 'As agent_response of chat' }),
          refusal: Type.Null(),
          tool_calls: Type.Optional(Type.Array(ToolCall, { description: 'What the turn asks a person' })),
        }),
        logprobs: Type.Null(),
        finish_reason: literals('stop', 'tool_calls'),
      }),
    ),
    usage: Usage,
    metadata: ThreadMetadata,
  },
  { title: 'OpenAIChatCompletion' },
);
export type Completion = Static<typeof Completion>;
