/** The step that rewrites a follow-up as a standalone question, and adds words that a document would use. */
import { type Static, Type } from '@sinclair/typebox';
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

type CondensedQuestion = Static<typeof CondensedQuestion>;

export const condense: Step<KnowledgeWorkState> = async (state, { extract, prompt, status }) => {
  status(hasConversation(state) ? 'reading the conversation' : 'looking for other words');
  const system = await prompt();
  const rewritten = extract({ name: 'condense', schema: CondensedQuestion }, system);
  const { question, words } = hasConversation(state) ? await rewritten : await onlyWords(rewritten);
  return {
    condensed: true,
    question: question.trim().slice(0, LONGEST_QUESTION),
    words: words.slice(0, MAX_WORDS).map((word) => word.trim().slice(0, LONGEST_WORD)),
  };
};

/** A first message is already the question, and searching for more words is optional: without them, nothing was found. */
async function onlyWords(rewritten: Promise<CondensedQuestion>): Promise<CondensedQuestion> {
  try {
    return { ...(await rewritten), question: '' };
  } catch (error) {
    if (!(error instanceof SkeinError) || error.code !== 'MODEL_CALL_FAILED') throw error;
    return { question: '', words: [] };
  }
}
