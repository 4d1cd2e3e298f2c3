/** The wire schemas of the chat endpoint. */
import { type Static, Type } from '@sinclair/typebox';
import { boundedText } from '../http/schemas/bounded-text.ts';
import { atLeastOneOf } from '../http/schemas/documented-schema.ts';
import { ThreadId } from '../http/schemas/thread-id.ts';
import { UsageBody } from '../http/schemas/usage-schema.ts';
import { FirstInterrupt, InterruptBody, StopBody } from './interrupts.ts';

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
      Type.String({
        pattern: '\\S',
        description: 'The message to the workflow, with at least one non-blank character',
        error: 'expected text with at least one non-blank character',
      }),
    ),
    input: Type.Optional(
      Type.Unknown({
        description:
          'The input of a graph that was not created with workflow(). If you also send a user_prompt, it is only displayed as the question',
      }),
    ),
    conversation_flow: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The name of a workflow, with hyphens or underscores, in any case',
    }),
    thread_id: Type.Optional(
      Type.String({
        ...ThreadId,
        description: `The thread, which is created if it doesn't exist (default: a new one). ${ThreadId.description}`,
        error: `expected ${ThreadId.description}`,
      }),
    ),
    user_id: Label('A label, stored with the message'),
    topic: Label('A label, stored and returned in the response'),
    event_type: Label('A label, stored and returned in the response'),
    stream: Type.Optional(Type.Boolean({ description: 'The same as Accept: text/event-stream' })),
    multitask_strategy: Type.Optional(
      Type.Union([Type.Literal('enqueue'), Type.Literal('reject'), Type.Literal('supersede')], {
        default: 'enqueue',
        description:
          'If another turn of the thread is unfinished: wait for it, fail with THREAD_BUSY, or cancel it',
      }),
    ),
    on_disconnect: Type.Optional(
      Type.Union([Type.Literal('cancel'), Type.Literal('continue')], {
        default: 'cancel',
        description: 'Whether the turn is cancelled if the client disconnects before its end',
      }),
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
        description: 'Start from this checkpoint of the thread instead of its head',
      }),
    ),
    max_tokens_budget: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum tokens of the turn, input and output together' }),
    ),
    deadline_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Maximum duration of the run in seconds, without its time in the queue. Only shortens the configured limit',
      }),
    ),
  },
  { title: 'ChatRequest', additionalProperties: true, ...atLeastOneOf('user_prompt', 'input') },
);
export type ChatRequest = Static<typeof ChatRequest>;

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const ChatResponse = Type.Object(
  {
    thread_id: Type.String({ description: 'The thread of the turn; a new one if the request names none' }),
    message_id: Type.String({ description: 'The stored assistant message, to which feedback is given' }),
    agent_response: Type.String({ description: "The agents' responses, as one block each" }),
    token_count: Type.Integer({ description: 'Input and output tokens of all model calls of the turn' }),
    usage: Type.Optional(UsageBody),
    followup_questions: Type.Record(Type.String(), Type.String(), {
      description: 'Suggestions for the next question, if the workflow is configured to make them',
    }),
    topic: Nullable("The request's topic"),
    memory_summary: Type.String({
      description: 'The rolling summary of messages that are no longer in the window',
    }),
    event_type: Nullable("The request's event_type; interrupt if the turn is waiting for a person"),
    run_id: Type.String({ description: 'The run that executed the turn' }),
    workflow: Type.String({ description: 'The workflow that ran' }),
    model: Type.String({ description: 'The model that answered' }),
    outputs: Type.Array(
      Type.Object({
        agent: Type.String({ description: 'The name of the agent' }),
        content: Type.String({ description: "The agent's response as text" }),
        data: Type.Unknown({ description: 'Its structured result, or null' }),
      }),
      { description: 'The results of the agents, in the order in which they finished' },
    ),
    interrupt: FirstInterrupt,
    interrupts: Type.Array(InterruptBody, { description: 'All questions of the turn to a person' }),
    stopped_at: Type.Array(StopBody, { description: 'The breakpoints at which the turn stopped' }),
    values: Type.Unknown({ description: "The graph's output. Null for a workflow created with workflow()" }),
  },
  { title: 'ChatResponse' },
);
export type ChatResponse = Static<typeof ChatResponse>;
