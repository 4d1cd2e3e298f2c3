/** The step that answers from the passages; what it says is checked by the next one. */

import type { Step } from '../agent-graph.ts';
import { passagesText } from '../tools/library/passages-text.ts';
import { dataBlock } from '../tools/model/block.ts';
import { untrustedJson } from '../tools/sql/untrusted-json.ts';
import type { KnowledgeWorkState } from './state.ts';

export const answerQuestion: Step<KnowledgeWorkState> = async (state, { answer, prompt, status }) => {
  const { messages, passages, question } = state;
  status(`reading ${passages.length} ${passages.length === 1 ? 'passage' : 'passages'}`);
  const variables = {
    passages: passagesText(passages),
    question: dataBlock('question', [untrustedJson(question, question.length)]),
  };
  const { content } = await answer(await prompt(variables), messages, 'knowledge_answer');
  return { draft: content };
};
