/** Routes for reviews of badly rated answers: list them, and mark them as reviewed, with a corrected answer. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import type { BadAnswer, State } from '../../state/state.ts';
import type { Feedback, FeedbackReview } from '../../state/threads/feedback.ts';
import { ownerOf } from '../authentication/identity.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { pageOf, paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';
import { Feedback as FeedbackBody } from './feedback-shape.ts';
import { namedOwner, OwnerField } from './shape.ts';

const PAGES = paging('reviews', ['string']);

const ReviewItem = Type.Object(
  {
    message_id: Type.String({ description: 'The message with the answer' }),
    thread_id: Type.String({ description: 'The thread of the answer' }),
    run_id: Type.String({ description: 'The run that answered' }),
    owner: OwnerField,
    workflow: Type.String({ description: 'The workflow that answered' }),
    question: Type.Union([Type.String(), Type.Null()], { description: 'Null if the run has been deleted' }),
    input: Type.Optional(Type.Unknown({ description: "The graph's input, if the turn has no question" })),
    answer: Type.String({ description: 'The text of the answer' }),
    created_at: Type.String({ format: 'date-time', description: 'When the answer was stored' }),
    feedback: FeedbackBody,
  },
  { title: 'ReviewItem' },
);

const BooleanText = Type.Union([Type.Literal('true'), Type.Literal('false')]);

const ReviewQuery = Type.Object({
  reviewed: Type.Optional(Type.Union(BooleanText.anyOf, { description: 'Default: false' })),
  ...ownerQuery,
  ...PAGES.query,
});

const ReviewChange = Type.Object(
  {
    reviewed: Type.Boolean({ description: 'False reopens the review' }),
    corrected_answer: Type.Optional(
      Type.Union([Type.String({ maxLength: 20_000 }), Type.Null()], {
        description: 'The correct answer',
      }),
    ),
  },
  { title: 'ReviewChange', additionalProperties: true },
);

export const reviewRoutes = ({ operators, state, log }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'reviews' })
    .get(
      '/reviews',
      async ({ query, request, route }) => {
        const owner = operators.ofList({ request, route, owner: query.owner });
        const filter = { owner, reviewed: query.reviewed === 'true' };
        const { items, next } = await state.feedback.bad(filter, PAGES.request(query));
        const reviews = items.map((one) => ({ ...toItem(one), ...namedOwner(query, one.owner) }));
        return { reviews, next_cursor: PAGES.cursorOf(next) };
      },
      {
        query: ReviewQuery,
        response: { 200: pageOf('reviews', ReviewItem, 'ReviewList') },
        detail: {
          summary: 'List answers with negative feedback or a rating of at most 2, newest first',
          tags: ['feedback'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .put(
      '/reviews/:message_id',
      async ({ params: { message_id }, body, request }) => {
        const caller = ownerOf(request);
        const owner = await state.messages.ownerOf(message_id);
        if (owner === undefined || (owner !== caller && !operators.includes(caller)))
          throw new SkeinError('MESSAGE_NOT_FOUND');
        const { reviewed, corrected_answer = null } = body;
        const review = reviewed
          ? { reviewed_at: new Date().toISOString(), reviewer: caller, corrected_answer }
          : null;
        const feedback = await setReview(state, message_id, review);
        log.info({ audit: 'answer reviewed', message_id, reviewed, caller, owner }, 'answer reviewed');
        return feedback;
      },
      {
        parse: 'json',
        params: Type.Object({ message_id: Type.String({ description: 'The message with the answer' }) }),
        body: ReviewChange,
        response: { 200: FeedbackBody },
        detail: {
          summary: 'Mark a rated answer as reviewed (only its owner and operators)',
          tags: ['feedback'],
          responses: errorResponses(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'NOT_FOUND'] as const),
            ...(['MESSAGE_NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'OVERLOADED'] as const),
          ),
        },
      },
    );

function toItem({
  feedback,
  runId,
  workflow,
  answer,
  createdAt,
  request,
}: BadAnswer): Static<typeof ReviewItem> {
  return {
    message_id: feedback.message_id,
    thread_id: feedback.thread_id,
    run_id: runId,
    workflow,
    question: request?.userPrompt ?? null,
    ...(request?.input !== undefined && { input: request.input }),
    answer,
    created_at: new Date(createdAt).toISOString(),
    feedback,
  };
}

const MAX_ATTEMPTS = 3;

/** Compares and swaps, so that concurrent feedback isn't lost. Throws OVERLOADED after three conflicts. */
async function setReview(
  { feedback }: Pick<State, 'feedback'>,
  messageId: string,
  review: FeedbackReview | null,
): Promise<Feedback> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const before = await feedback.get(messageId);
    if (!before) throw new SkeinError('NOT_FOUND', { message: 'This message has no feedback' });
    const after = { ...before, review };
    if (await feedback.replace(before, after)) return after;
  }
  throw new SkeinError('OVERLOADED', { retryAfter: 1 });
}
