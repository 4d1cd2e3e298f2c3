/** The wire schema of feedback. */
import { Type } from '@sinclair/typebox';

const Review = Type.Object({
  reviewed_at: Type.String({ format: 'date-time', description: 'When the answer was reviewed' }),
  reviewer: Type.String({ description: 'The caller who reviewed it' }),
  corrected_answer: Type.Union([Type.String(), Type.Null()], {
    description: 'The correct answer, if the reviewer wrote one',
  }),
});

export const Feedback = Type.Object(
  {
    message_id: Type.String({ description: 'The answer that is rated' }),
    thread_id: Type.String({ description: 'The thread of the answer' }),
    user_id: Type.Union([Type.String(), Type.Null()], { description: 'The label of the request, or null' }),
    positive_feedback: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the answer was good. Null if not stated',
    }),
    rating: Type.Union([Type.Integer(), Type.Null()], { description: '1 to 5, or null' }),
    comment: Type.Union([Type.String(), Type.Null()], { description: 'The comment, or null' }),
    tags: Type.Array(Type.String(), { description: 'The tags of the request' }),
    updated_at: Type.String({ format: 'date-time', description: 'When the feedback was given' }),
    review: Type.Optional(
      Type.Union([Review, Type.Null()], { description: 'The review of a badly rated answer' }),
    ),
  },
  { title: 'Feedback', description: 'The rating of an answer' },
);
