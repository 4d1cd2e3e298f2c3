/** The wire schemas of the chat endpoint. */
import { type Static, Type } from '@sinclair/typebox';
import { boundedText } from '../http/schemas/bounded-text.ts';
import { atLeastOneOf } from '../http/schemas/documented-schema.ts';
import { ThreadId } from '../http/schemas/thread-id.ts';
import { UsageBody } from '../http/schemas/usage-schema.ts';
import { InterruptBody, StopBody } from './interrupts.ts';

const Label = (description: string) => Type.Optional(boundedText(1_000, { description }));

export const NodeNames = Type.Union(
  [Type.Literal('*'), Type.Array(Type.String({ minLength: 1 }), { maxItems: 1000 })],
  {
    description:
      'Names of nodes, or `*` for all nodes of the root graph. A node of a subgraph is `node:inner`',
  },
);

export const ChatRequest = Type.Object(
  {
    user_prompt: Type.Optional(
      Type.String({ pattern: '\\S', description: 'text with at least one non-blank character' }),
    ),
    input: Type.Optional(
      Type.Unknown({
        description:
          'The input of a graph that was not created with workflow(). Replaces user_prompt, which is then only displayed',
      }),
    ),
    conversation_flow: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The name of a workflow, with hyphens or underscores, in any case',
    }),
    thread_id: Type.Optional(ThreadId),
    user_id: Label('A label, stored with the message'),
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
    recursion_limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Maximum steps of the turn' })),
    checkpoint_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Continue from this checkpoint of the thread',
      }),
    ),
    max_tokens_budget: Type.Optional(Type.Integer({ minimum: 1, description: 'Maximum tokens of the turn' })),
    deadline_seconds: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum duration of the turn in seconds' }),
    ),
  },
  { title: 'ChatRequest', additionalProperties: true, ...atLeastOneOf('user_prompt', 'input') },
);
export type ChatRequest = Static<typeof ChatRequest>;

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const ChatResponse = Type.Object(
  {
    thread_id: Type.String(),
    message_id: Type.String({ description: 'The stored assistant message, to which feedback is given' }),
    agent_response: Type.String({ description: "The agents' responses, as one block each" }),
    token_count: Type.Integer({ description: 'Input and output tokens of all model calls of the turn' }),
    usage: Type.Optional(UsageBody),
    followup_questions: Type.Record(Type.String(), Type.String()),
    topic: Nullable("The request's topic"),
    memory_summary: Type.String({
      description: 'The rolling summary of messages that are no longer in the window',
    }),
    event_type: Nullable("The request's event_type; interrupt if the turn waits for a person"),
    run_id: Type.String(),
    workflow: Type.String(),
    model: Type.String(),
    outputs: Type.Array(Type.Object({ agent: Type.String(), content: Type.String(), data: Type.Unknown() })),
    interrupt: Type.Union([Type.Object({ interrupt_id: Type.String(), value: Type.Unknown() }), Type.Null()]),
    interrupts: Type.Array(InterruptBody, { description: 'All questions of the turn to a person' }),
    stopped_at: Type.Array(StopBody, { description: 'The breakpoints at which the turn stopped' }),
    values: Type.Unknown({ description: "The graph's output. Null for a workflow created with workflow()" }),
  },
  { title: 'ChatResponse' },
);
export type ChatResponse = Static<typeof ChatResponse>;
