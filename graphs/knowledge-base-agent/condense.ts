/** The step that rewrites a follow-up as a standalone question, in words that a document would use. */
import { Type } from '@sinclair/typebox';
import type { Step } from '../authoring/agent/agent-graph.ts';
import type { KnowledgeWorkState } from './state.ts';

const LONGEST_QUESTION = 1_000;
const MAX_WORDS = 12;
const LONGEST_WORD = 60;

/** The model's output. */
export const CondensedQuestion = Type.Object(
  {
    question: Type.String({ description: 'The last message as a question that stands alone' }),
    words: Type.Array(Type.String(), {
      description: 'Up to eight words or short phrases that a document which answers it would use',
    }),
  },
  { additionalProperties: false },
);

export const condense: Step<KnowledgeWorkState> = async (_state, { extract, prompt, status }) => {
  status('reading the conversation');
  const shape = { name: 'condense', schema: CondensedQuestion };
  const { question, words } = await extract(shape, await prompt());
  return {
    condensed: true,
    question: question.trim().slice(0, LONGEST_QUESTION),
    words: words.slice(0, MAX_WORDS).map((word) => word.trim().slice(0, LONGEST_WORD)),
  };
};
