/** The schemas of the Responses API. */
import { type Static, Type } from '@sinclair/typebox';
import { ContentPart } from '../content.ts';
import { literals, optional } from '../schema-parts.ts';
import { unsupportedParameters } from '../unsupported-parameters.ts';

const Text = Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: 1000 })]);

export const InputItem = Type.Object(
  {
    type: optional(Type.String()),
    id: optional(Type.String({ maxLength: 200 })),
    role: Type.Optional(literals('system', 'developer', 'user', 'assistant')),
    content: optional(Text),
    call_id: Type.Optional(Type.String({ maxLength: 200 })),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    arguments: Type.Optional(Type.String()),
    output: Type.Optional(Text),
  },
  { title: 'OpenAIResponseInputItem', additionalProperties: true },
);
export type InputItem = Static<typeof InputItem>;

const Id = Type.String({ minLength: 1, maxLength: 200 });
export const Metadata = optional(Type.Record(Type.String(), Type.Unknown()));

export const ResponseRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'The name of a workflow' }),
    input: Type.Union([Type.String(), Type.Array(InputItem, { minItems: 1 })], {
      description: 'Text or items; a `function_call_output` at the end answers an interrupt',
    }),
    instructions: optional(
      Type.String({ description: 'A system message before the input, for graphs with a `messages` channel' }),
    ),
    previous_response_id: optional(Id),
    conversation: optional(Type.Union([Id, Type.Object({ id: Id }, { additionalProperties: true })])),
    store: optional(Type.Boolean({ default: true })),
    background: optional(Type.Boolean()),
    stream: optional(Type.Boolean()),
    metadata: Metadata,
    max_output_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'The maximum number of tokens of the turn, input and output together',
      }),
    ),
    user: optional(Type.String({ maxLength: 1_000 })),
    ...unsupportedParameters,
  },
  {
    title: 'OpenAIResponseRequest',
    additionalProperties: true,
    description: 'Sampling parameters are accepted and have no effect',
  },
);
export type ResponseRequest = Static<typeof ResponseRequest>;

export type OutputItem =
  | {
      id: string;
      type: 'message';
      role: 'assistant';
      status: 'in_progress' | 'completed';
      content: { type: 'output_text'; text: string; annotations: []; logprobs: [] }[];
    }
  | {
      id: string;
      type: 'function_call';
      call_id: string;
      name: string;
      arguments: string;
      status: 'in_progress' | 'completed';
    }
  | { id: string; type: 'function_call_output'; call_id: string; output: string; status: 'completed' };

/** An item of any type, with the fields of that type. */
export const Item = Type.Object(
  { id: Type.String(), type: Type.String() },
  { title: 'OpenAIResponseItem', additionalProperties: true },
);

const OutputItems = Type.Array(Item, {
  description: 'The message and the tool calls. Calls of `resume` are interrupts',
});

const Nullable = (schema: Parameters<typeof optional>[0]) => Type.Union([schema, Type.Null()]);

export const ResponseBody = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    created_at: Type.Integer(),
    status: literals('queued', 'in_progress', 'completed', 'failed', 'cancelled'),
    model: Type.String(),
    output: OutputItems,
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    usage: Nullable(
      Type.Object(
        {
          input_tokens: Type.Integer(),
          output_tokens: Type.Integer(),
          total_tokens: Type.Integer(),
        },
        { additionalProperties: true },
      ),
    ),
    previous_response_id: Nullable(Type.String()),
    conversation: Nullable(Type.Object({ id: Type.String() })),
    background: Type.Boolean(),
    store: Type.Boolean(),
    instructions: Nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description: 'With `thread_id`, unless the thread of the turn is not kept',
    }),
  },
  { title: 'OpenAIResponse', additionalProperties: true },
);

export const ConversationBody = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('conversation'),
    created_at: Type.Integer(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'OpenAIConversation' },
);

export const deletedBody = <Name extends string>(object: Name, title: string) =>
  Type.Object({ id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) }, { title });
