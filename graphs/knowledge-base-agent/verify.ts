/** The last step: citations that name nothing are dropped, sentences without support are marked. No model is asked. */
import type { Passage } from '../tools/library/library.ts';
import type { Step } from '../workflow.ts';
import { checkCitations } from './citations.ts';
import type { KnowledgeWorkState } from './state.ts';

export const verify: Step<KnowledgeWorkState> = async ({ draft, passages, question }) => {
  const { content, cited, unsupported } = checkCitations(draft, passages);
  const citations = cited.flatMap((n) => {
    const passage = passages[n - 1];
    return passage ? [citation(n, passage)] : [];
  });
  return { result: { content, data: { question, found: true, citations, unsupported } } };
};

function citation(n: number, { document, heading, page, start, end, text, scores }: Passage) {
  return { n, document, heading, page, start, end, score: scores.fused, quote: text };
}
