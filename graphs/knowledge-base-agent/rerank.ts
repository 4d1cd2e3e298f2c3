/** The step in which the model reorders the passages, if the settings enable it. */
import { Type } from '@sinclair/typebox';
import type { Passage } from '../../tools/knowledge/library.ts';
import { dataBlock } from '../../tools/text/block.ts';
import { passagesText } from '../../tools/text/passages-text.ts';
import { untrustedJson } from '../../tools/text/untrusted-json.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import type { KnowledgeOptions, KnowledgeWorkState } from './state.ts';

/** The number of passages that the model orders. */
export const RERANKED = 20;

/** The model's output. */
const PassageOrder = Type.Object(
  {
    passages: Type.Array(Type.Integer(), {
      description: 'The numbers of the passages that help to answer the question, the most helpful first',
    }),
  },
  { additionalProperties: false },
);

export function rerank({ top_k: limit }: KnowledgeOptions): Step<KnowledgeWorkState> {
  return async ({ passages, question }, { extract, prompt, status }) => {
    status(`ordering ${passages.length} ${passages.length === 1 ? 'passage' : 'passages'}`);
    const variables = {
      // The sections around them would be too long to rank.
      passages: passagesText(passages.map((passage) => ({ ...passage, context: passage.text }))),
      question: dataBlock('question', [untrustedJson(question, question.length)]),
    };
    const order = await extract({ name: 'rerank', schema: PassageOrder }, await prompt(variables));
    return { passages: reordered(passages, order.passages).slice(0, limit) };
  };
}

/** Passages that the order does not name keep their order at the end. Numbers count from 1; unknown ones are ignored. */
export function reordered(passages: readonly Passage[], order: readonly number[]): Passage[] {
  const named = [...new Set(order)].flatMap((n) => passages[n - 1] ?? []);
  return [...named, ...passages.filter((passage) => !named.includes(passage))];
}
