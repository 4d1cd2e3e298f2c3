/** The step that rewrites a follow-up as a standalone question, and adds words that a document would use. */
import { Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import { hasConversation } from './search.ts';
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

export const condense: Step<KnowledgeWorkState> = async (state, { extract, prompt, status }) => {
  const isFirst = !hasConversation(state);
  status(isFirst ? 'looking for other words' : 'reading the conversation');
  const system = await prompt();
  try {
    const { question, words } = await extract({ name: 'condense', schema: CondensedQuestion }, system);
    return {
      condensed: true,
      // A first message is already the question.
      question: isFirst ? state.question : question.trim().slice(0, LONGEST_QUESTION),
      words: words.slice(0, MAX_WORDS).map((word) => word.trim().slice(0, LONGEST_WORD)),
    };
  } catch (error) {
    // After a search, other words are optional: without them, nothing was found.
    const isOptional = state.question !== '';
    if (!isOptional || !(error instanceof SkeinError) || error.code !== 'MODEL_CALL_FAILED') throw error;
    return { condensed: true };
  }
};
