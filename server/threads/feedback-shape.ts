/** The wire schema of feedback. */
import { Type } from '@sinclair/typebox';

const Review = Type.Object({
  reviewed_at: Type.String({ format: 'date-time' }),
  reviewer: Type.String(),
  corrected_answer: Type.Union([Type.String(), Type.Null()]),
});

export const Feedback = Type.Object(
  {
    message_id: Type.String(),
    thread_id: Type.String(),
    user_id: Type.Union([Type.String(), Type.Null()]),
    positive_feedback: Type.Union([Type.Boolean(), Type.Null()]),
    rating: Type.Union([Type.Integer(), Type.Null()]),
    comment: Type.Union([Type.String(), Type.Null()]),
    tags: Type.Array(Type.String()),
    updated_at: Type.String({ format: 'date-time' }),
    review: Type.Optional(
      Type.Union([Review, Type.Null()], { description: 'The review of a badly rated answer' }),
    ),
  },
  { title: 'Feedback' },
);
