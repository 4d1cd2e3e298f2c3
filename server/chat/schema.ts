/** The shapes of the chat endpoint on the wire. */
import { type Static, Type } from '@sinclair/typebox';
import { someOf } from '../http/documented-schema.ts';
import { ThreadId } from '../http/thread-id.ts';
import { UsageBody } from '../http/usage-schema.ts';
import { InterruptBody, StopBody } from './interrupts.ts';

const Label = (description: string) => Type.Optional(Type.String({ maxLength: 1_000, description }));

export const NodeNames = Type.Union(
  [Type.Literal('*'), Type.Array(Type.String({ minLength: 1 }), { maxItems: 1000 })],
  {
    description:
      'Names of nodes, or `*` for all of the graph itself; a node of a graph inside is `node:inner`',
  },
);

export const ChatRequest = Type.Object(
  {
    user_prompt: Type.Optional(
      Type.String({ pattern: '\\S', description: 'text, at least one character that is not a blank' }),
    ),
    input: Type.Optional(
      Type.Unknown({
        description:
          'What a graph that is not made with workflow() starts with, in place of user_prompt, which is then only shown',
      }),
    ),
    conversation_flow: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The name of a workflow, with hyphens or underscores; case does not matter',
    }),
    thread_id: Type.Optional(ThreadId),
    user_id: Label('A label that is stored with the message'),
    topic: Label('Stored and echoed'),
    event_type: Label('Stored and echoed'),
    stream: Type.Optional(Type.Boolean({ description: 'The same as Accept: text/event-stream' })),
    multitask_strategy: Type.Optional(
      Type.Union([Type.Literal('enqueue'), Type.Literal('reject'), Type.Literal('supersede')], {
        default: 'enqueue',
      }),
    ),
    on_disconnect: Type.Optional(
      Type.Union([Type.Literal('cancel'), Type.Literal('continue')], { default: 'cancel' }),
    ),
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "The graph's runtime context" }),
    ),
    configurable: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Added to `config.configurable`' }),
    ),
    interrupt_before: Type.Optional(NodeNames),
    interrupt_after: Type.Optional(NodeNames),
    recursion_limit: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Supersteps that the turn may take' }),
    ),
    checkpoint_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Goes on from this checkpoint of the thread',
      }),
    ),
    max_tokens_budget: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Tokens that the turn may use' }),
    ),
    deadline_seconds: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Seconds that the turn may take' }),
    ),
  },
  { title: 'ChatRequest', additionalProperties: true, ...someOf('user_prompt', 'input') },
);
export type ChatRequest = Static<typeof ChatRequest>;

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const ChatResponse = Type.Object(
  {
    thread_id: Type.String(),
    message_id: Type.String({ description: 'The stored assistant message: feedback goes to it' }),
    agent_response: Type.String({ description: "The agents' responses; several are one block each" }),
    token_count: Type.Integer({ description: 'Input and output tokens of all model calls of the turn' }),
    usage: Type.Optional(UsageBody),
    followup_questions: Type.Record(Type.String(), Type.String()),
    topic: Nullable('As asked'),
    memory_summary: Type.String({ description: 'The rolling summary of what has left the window' }),
    event_type: Nullable('As asked; interrupt when the turn waits for a person'),
    run_id: Type.String(),
    workflow: Type.String(),
    model: Type.String(),
    outputs: Type.Array(Type.Object({ agent: Type.String(), content: Type.String(), data: Type.Unknown() })),
    interrupt: Type.Union([Type.Object({ interrupt_id: Type.String(), value: Type.Unknown() }), Type.Null()]),
    interrupts: Type.Array(InterruptBody, { description: 'Everything that the turn asks a person' }),
    stopped_at: Type.Array(StopBody, { description: 'The nodes before or after which it was to stop' }),
    values: Type.Unknown({ description: "The graph's output; null for a workflow made with workflow()" }),
  },
  { title: 'ChatResponse' },
);
export type ChatResponse = Static<typeof ChatResponse>;
