/**
 * The step that searches passages. Without results it lets the model rewrite the question once, and then ends the work, so that
 * no model is asked to answer without passages.
 */

import type { Library, Passage, SearchResult } from '../../tools/knowledge/library.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import { RERANKED } from './rerank.ts';
import type { KnowledgeOptions, KnowledgeWorkState } from './state.ts';

const NO_ANSWER = 'The knowledge base holds no answer to this question.';
const LONGEST_QUERY = 2_000;
const LONGEST_CONTEXT = 4_000;

export function searchLibrary(
  library: Library,
  options: KnowledgeOptions,
  addsWords: boolean,
): Step<KnowledgeWorkState> {
  const { top_k, threshold, rerank } = options;
  const limit = rerank ? RERANKED : top_k;
  return async (state, { signal, status }) => {
    const question = state.question || (state.messages.at(-1)?.text.trim().slice(0, LONGEST_QUERY) ?? '');
    status(await searching(library));
    const search = (query: string) =>
      library.search(query, { limit, signal, ...(threshold !== undefined && { threshold }) });
    const passages = await firstFound(search, question, state.words);
    if (passages) return { question, passages: passages.map(plain) };
    // The documents may use other words, and the conversation may contain what the message omits.
    if (!state.condensed && (addsWords || hasConversation(state))) return { question, passages: [] };
    return {
      question,
      result: { content: NO_ANSWER, data: { question, found: false, citations: [], unsupported: [] } },
    };
  };
}

/** Whether a conversation precedes the message. */
export const hasConversation = ({ messages, summary }: KnowledgeWorkState) =>
  messages.length > 1 || summary !== '';

/**
 * The passages of the first query that finds something; undefined if none does. All words together find most. But added words may
 * hide how well the question's own words match, and the documents may use none of the question's words.
 */
export async function firstFound(
  search: (query: string) => Promise<SearchResult>,
  question: string,
  words: readonly string[],
): Promise<Passage[] | undefined> {
  const added = words.join(' ');
  for (const query of added === '' ? [question] : [`${question} ${added}`, question, added]) {
    const { found, passages } = await search(query);
    if (found) return passages;
  }
  return undefined;
}

async function searching(library: Library): Promise<string> {
  // A cloud index doesn't list its documents; the search itself reports problems of a library.
  const documents = await library.documents().catch(() => undefined);
  if (!documents) return 'searching the knowledge base';
  const count = documents.filter(({ chunks }) => chunks > 0).length;
  return `searching ${count} ${count === 1 ? 'document' : 'documents'}`;
}

/** The stored form: plain text and numbers only. */
function plain({ id, document, heading, page, start, end, text, context, scores }: Passage): Passage {
  const { vector, text: words, fused } = scores;
  return {
    ...{ id, document, heading, page, start, end, text },
    context: context.slice(0, LONGEST_CONTEXT).replace(/[\ud800-\udbff]$/, ''),
    scores: { vector, text: words, fused },
  };
}
