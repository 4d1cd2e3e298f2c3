/** GET /threads/{thread_id}/messages: lists the conversation, oldest or newest first. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { StoredMessage } from '../../state/threads/archive.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { pageOf, paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';
import { Feedback } from './feedback-shape.ts';
import { readThreadOf, threadParams } from './shape.ts';
import { type StateMessage, stateMessages } from './state-messages.ts';

const PAGES = paging('messages', ['number']);

const MessageBody = Type.Object(
  {
    message_id: Type.String({ description: 'The id of the message' }),
    role: Type.Union([Type.Literal('user'), Type.Literal('assistant')], {
      description: 'user: a question; assistant: an answer',
    }),
    content: Type.String({ description: 'The text of the message' }),
    parts: Type.Optional(
      Type.Array(Type.Unknown(), {
        description:
          'The content if it is not only text but also, for example, images. Only for threads of the LangGraph protocol',
      }),
    ),
    status: Type.Union([Type.Literal('complete'), Type.Literal('cancelled')], {
      description: 'cancelled: an answer whose run was cancelled before its end',
    }),
    agent: Type.Optional(Type.String({ description: 'The agent, if exactly one answered' })),
    run_id: Type.String({ description: 'The run of the turn' }),
    workflow: Type.String({ description: 'The workflow of the turn' }),
    created_at: Type.String({ format: 'date-time', description: 'When it was created' }),
    token_count: Type.Optional(
      Type.Integer({ description: 'Tokens of all model calls of the turn. Only for answers' }),
    ),
    feedback: Type.Optional(Feedback),
    outputs: Type.Optional(
      Type.Array(
        Type.Object({
          agent: Type.String({ description: 'The name of the agent' }),
          content: Type.String({ description: "The agent's response as text" }),
          data: Type.Unknown({ description: 'Its structured result, or null' }),
        }),
        { description: 'The results of the agents. Only for answers' },
      ),
    ),
  },
  { title: 'Message' },
);

const Order = Type.Union([Type.Literal('oldest_first'), Type.Literal('newest_first')], {
  description: 'Default: oldest_first',
});

export const messageRoutes = ({ archive, operators, states }: Services) =>
  new Elysia({ prefix: '/api/v1/threads', name: 'messages' }).get(
    '/:thread_id/messages',
    async ({ params: { thread_id }, query, request, route }) => {
      const page = { ...PAGES.request(query), newestFirst: query.order === 'newest_first' };
      const thread = await readThreadOf(
        { archive, operators },
        { request, route, owner: query.owner },
        thread_id,
      );
      const { items, next } = thread.keepsAll
        ? await stateMessages({ archive, states }, thread, page)
        : await archive.messages(thread.key, page);
      return { messages: items.map(toMessageBody), next_cursor: PAGES.cursorOf(next) };
    },
    {
      params: threadParams,
      query: Type.Object({ order: Type.Optional(Order), ...ownerQuery, ...PAGES.query }),
      response: { 200: pageOf('messages', MessageBody, 'MessageList') },
      detail: {
        summary: "List a thread's messages, oldest or newest first",
        tags: ['threads'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'),
      },
    },
  );

function toMessageBody(message: StoredMessage & Pick<StateMessage, 'parts'>): Static<typeof MessageBody> {
  const { outputs, tokenCount, feedback } = message;
  const [first] = outputs;
  const body: Static<typeof MessageBody> = {
    message_id: message.messageId,
    role: message.role,
    content: message.content,
    status: message.status,
    run_id: message.runId,
    workflow: message.workflow,
    created_at: new Date(message.createdAt).toISOString(),
  };
  if (message.parts) body.parts = message.parts;
  if (first && outputs.length === 1) body.agent = first.agent;
  if (tokenCount !== null) body.token_count = tokenCount;
  if (feedback) body.feedback = feedback;
  if (message.role === 'assistant') {
    body.outputs = outputs.map(({ agent, content, data }) => ({ agent, content, data }));
  }
  return body;
}
