/** The step that answers from the passages; the next step checks the answer. */

import { dataBlock } from '../../tools/text/block.ts';
import { passagesText } from '../../tools/text/passages-text.ts';
import { untrustedJson } from '../../tools/text/untrusted-json.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
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
