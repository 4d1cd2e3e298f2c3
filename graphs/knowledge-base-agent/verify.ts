/** The last step: drops invalid citations and marks unsupported sentences, without calling a model. */

import type { Passage } from '../../tools/knowledge/library.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import { checkCitations } from './check-citations.ts';
import { withBrackets, withoutMarks } from './citation-marks.ts';
import { saysNoAnswer } from './no-answer.ts';
import type { KnowledgeWorkState } from './state.ts';

export const verify: Step<KnowledgeWorkState> = async ({ draft, passages, question }) => {
  if (saysNoAnswer(withBrackets(draft)))
    return {
      result: {
        content: withoutMarks(draft),
        data: { question, found: false, citations: [], unsupported: [] },
      },
    };
  const { content, cited, around, unsupported } = checkCitations(draft, passages);
  const citations = cited.flatMap((n) => {
    const passage = passages[n - 1];
    return passage ? [citation(n, passage, around.includes(n))] : [];
  });
  return { result: { content, data: { question, found: true, citations, unsupported } } };
};

/** Quotes the section around the passage if the answer relies on it, so that the quote shows the supporting text. */
function citation(n: number, passage: Passage, around: boolean) {
  const { document, heading, page, scores, text, context } = passage;
  const before = around ? context.indexOf(text) : -1;
  const quote = before < 0 ? text : context;
  const start = before < 0 ? passage.start : passage.start - before;
  return { n, document, heading, page, start, end: start + quote.length, score: scores.fused, quote };
}
