/** The schemas of chat completions. */
import { type Static, Type } from '@sinclair/typebox';
import { Content } from '../content.ts';
import { literals, optional } from '../schema-parts.ts';
import { unsupportedParameters } from '../unsupported-parameters.ts';

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
    model: Type.String({ minLength: 1, maxLength: 200, description: 'The name of a workflow' }),
    messages: Type.Array(Message, {
      minItems: 1,
      description:
        'With a thread, only the last message counts; without a thread, the messages are the whole conversation',
    }),
    metadata: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: '`thread_id` is the id of the thread, like the header X-Thread-Id',
      }),
    ),
    stream: optional(Type.Boolean()),
    stream_options: optional(
      Type.Object({ include_usage: optional(Type.Boolean()) }, { additionalProperties: true }),
    ),
    max_completion_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'The maximum number of tokens of the turn, input and output together',
      }),
    ),
    user: optional(Type.String({ maxLength: 1_000, description: 'A label that is stored with the message' })),
    ...unsupportedParameters,
  },
  {
    title: 'OpenAIChatCompletionRequest',
    additionalProperties: true,
    description: 'Sampling parameters are accepted and have no effect',
  },
);
export type CompletionRequest = Static<typeof CompletionRequest>;

const ToolCall = Type.Object({
  id: Type.String({ description: 'To answer, send a message with the role `tool` and this tool_call_id' }),
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.Literal('resume'),
    arguments: Type.String({ description: 'The value of the interrupt, as JSON' }),
  }),
});

const Usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

const ThreadMetadata = Type.Optional(
  Type.Object({ thread_id: Type.String() }, { description: 'Missing if the thread of the turn is not kept' }),
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
          content: Type.Union([Type.String(), Type.Null()], {
            description: 'The same as agent_response of /api/v1/chat',
          }),
          refusal: Type.Null(),
          tool_calls: Type.Optional(Type.Array(ToolCall, { description: 'The pending interrupts' })),
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
