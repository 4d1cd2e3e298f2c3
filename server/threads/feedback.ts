/** PUT and GET /messages/{message_id}/feedback: rates an answer, and reads the rating. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import type { Message, State } from '../../state/state.ts';
import { ownerOf } from '../authentication/identity.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { boundedText } from '../http/schemas/bounded-text.ts';
import { atLeastOneOf } from '../http/schemas/documented-schema.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { Feedback } from './feedback-shape.ts';

const FeedbackRequest = Type.Object(
  {
    thread_id: Type.Optional(
      Type.String({ maxLength: 128, description: "If set, must be the message's thread" }),
    ),
    user_id: Type.Optional(boundedText(1_000, { description: 'A label, stored with the feedback' })),
    positive_feedback: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        error: 'expected boolean or null',
        description: 'Whether the answer was good',
      }),
    ),
    rating: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5, description: '1 is the worst, 5 the best' }),
    ),
    comment: Type.Optional(boundedText(4_000, { description: 'A comment' })),
    tags: Type.Optional(
      Type.Array(boundedText(100, { least: 1 }), {
        maxItems: 50,
        description: 'Tags of 1 to 100 characters',
      }),
    ),
  },
  {
    title: 'FeedbackRequest',
    additionalProperties: true,
    ...atLeastOneOf('positive_feedback', 'rating', 'comment', 'tags'),
  },
);
type FeedbackRequest = Static<typeof FeedbackRequest>;

const params = Type.Object({ message_id: Type.String({ description: 'The message with the answer' }) });

export const feedbackRoutes = ({ operators, state }: Services) =>
  new Elysia({ prefix: '/api/v1/messages', name: 'feedback' })
    .put(
      '/:message_id/feedback',
      async ({ params: { message_id }, body, request }) => {
        const message = await answerWith(state, ownerOf(request), message_id);
        const feedback = toFeedback(message, body);
        await state.feedback.put(feedback);
        return { message: `Feedback submitted for message ${message_id}.`, feedback };
      },
      {
        parse: 'json',
        params,
        body: FeedbackRequest,
        response: {
          200: Type.Object({
            message: Type.String({ description: 'A confirmation for people' }),
            feedback: Feedback,
          }),
        },
        detail: {
          summary: 'Rate an answer, replacing earlier feedback',
          tags: ['feedback'],
          responses: errorResponses(
            ...([
              'INVALID_REQUEST',
              'INVALID_JSON',
              'UNAUTHORIZED',
              'MESSAGE_NOT_FOUND',
              'PAYLOAD_TOO_LARGE',
            ] as const),
          ),
        },
      },
    )
    .get(
      '/:message_id/feedback',
      async ({ params: { message_id }, query, request, route }) => {
        const read = { request, route, owner: query.owner };
        const find = () => state.messages.ownerOf(message_id);
        const owner = await operators.ofResource(read, message_id, find);
        const message = await answerWith(state, owner, message_id);
        const feedback = await state.feedback.get(message.messageId);
        if (!feedback) throw new SkeinError('NOT_FOUND', { message: 'This message has no feedback' });
        return feedback;
      },
      {
        params,
        query: Type.Object(ownerQuery),
        response: { 200: Feedback },
        detail: {
          summary: "Get an answer's feedback",
          tags: ['feedback'],
          responses: errorResponses('UNAUTHORIZED', 'NOT_FOUND', 'MESSAGE_NOT_FOUND'),
        },
      },
    );

/** Throws MESSAGE_NOT_FOUND if the message doesn't exist or is not an answer. */
async function answerWith(state: State, owner: string, messageId: string): Promise<Message> {
  const message = await state.messages.find(owner, messageId);
  if (message?.role !== 'assistant') throw new SkeinError('MESSAGE_NOT_FOUND');
  return message;
}

function toFeedback(message: Message, body: FeedbackRequest) {
  const { thread_id, user_id, positive_feedback, rating, comment, tags } = body;
  if (thread_id !== undefined && thread_id !== message.threadId) {
    throw new SkeinError('INVALID_REQUEST', { detail: 'thread_id: the message belongs to another thread' });
  }
  const hasContent = [positive_feedback, rating, comment, tags].some((field) => field !== undefined);
  if (!hasContent) {
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'body: expected positive_feedback, rating, comment or tags',
    });
  }
  return {
    message_id: message.messageId,
    thread_id: message.threadId,
    user_id: user_id ?? null,
    positive_feedback: positive_feedback ?? null,
    rating: rating ?? null,
    comment: comment ?? null,
    tags: tags ?? [],
    updated_at: new Date().toISOString(),
  };
}
