/** The state that the agents of classification-agent share, and the configured categories. */

import { Annotation } from '@langchain/langgraph';
import { type Static, Type } from '@sinclair/typebox';
import { Conversation } from '../../state/threads/conversation.ts';

const Category = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,39}$',
      description: 'The name of the category, in lower case with underscores.',
    }),
    description: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What belongs in the category, for the model.',
    }),
  },
  { additionalProperties: false },
);
export type Category = Static<typeof Category>;

export const ClassificationOptions = Type.Object({
  categories: Type.Array(Category, {
    minItems: 1,
    maxItems: 30,
    description:
      "The closed set of categories; 'other', or else the last one, is for everything that fits no other category.",
    default: [
      {
        name: 'product_inquiry',
        description: 'questions about products, features, sizes, availability and prices',
      },
      { name: 'purchase', description: 'wants to buy, order, pay, or asks about an order and its delivery' },
      {
        name: 'support',
        description: 'something is broken or does not work, returns, refunds, repairs, needs help',
      },
      { name: 'feedback', description: 'praise, complaints, reviews and suggestions' },
      { name: 'other', description: 'anything else' },
    ],
  }),
});

/** `category` is the route that the classification chose. */
export const ClassificationState = Annotation.Root({ ...Conversation.spec, category: Annotation<string> });
export type ClassificationState = typeof ClassificationState.State;
