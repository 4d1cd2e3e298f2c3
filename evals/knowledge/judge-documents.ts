/** Evaluates searches by the documents that they find. */
import { RERANKED, reordered } from '../../graphs/knowledge-base-agent/rerank.ts';
import { firstFound } from '../../graphs/knowledge-base-agent/search.ts';
import type { Library, Passage } from '../../tools/knowledge/library.ts';
import type { Baselines } from './baselines.ts';
import type { DocumentQuestion } from './documentation.ts';

export const ORDERS = [
  'FTS5 porter',
  'BM25',
  'vector',
  'text',
  'hybrid',
  'hybrid, other words',
  'hybrid, re-ranked',
  'model, vector',
  'model, hybrid',
] as const;
export type Order = (typeof ORDERS)[number];

export interface JudgedQuestion {
  question: DocumentQuestion;
  /** For each ranking, the documents of its first ten passages. */
  documents: Record<Order, string[]>;
  found: boolean;
  /** The same if nothing is found without the words that a language model adds. */
  foundWithWords: boolean;
  /** Processor time of the service's search, of all threads. */
  ms: number;
}

export interface Searches {
  /** The service's search without an embedding model. */
  own: Pick<Library, 'search'>;
  /** The same index, queried with vectors of a simulated embedding model. */
  modelled: Pick<Library, 'search'>;
  baselines: Baselines;
}

const DEPTH = 10;
const EVERY_CANDIDATE = 250;

export async function judgeDocuments(
  questions: readonly DocumentQuestion[],
  words: ReadonlyMap<string, string[]>,
  { own, modelled, baselines }: Searches,
): Promise<JudgedQuestion[]> {
  const judged: JudgedQuestion[] = [];
  for (const question of questions) {
    const { question: query } = question;
    const begun = process.cpuUsage();
    const { found } = await own.search(query);
    const { user, system } = process.cpuUsage(begun);
    const ms = (user + system) / 1000;
    const { passages } = await own.search(query, { limit: EVERY_CANDIDATE });
    const added = words.get(query);
    if (!added) throw new Error(`no words were recorded for '${query}'`);
    const search = (text: string) => own.search(text, { limit: DEPTH });
    const rewritten = found ? undefined : await firstFound(search, query, added);
    const other = (await modelled.search(query, { limit: EVERY_CANDIDATE })).passages;
    const documents = {
      'FTS5 porter': baselines.porter(query, DEPTH),
      BM25: baselines.bm25(query, DEPTH),
      vector: documentsOf(bestBy(passages, ({ vector }) => vector)),
      text: documentsOf(bestBy(passages, ({ text }) => text)),
      hybrid: documentsOf(passages),
      'hybrid, other words': documentsOf(rewritten ?? passages),
      'hybrid, re-ranked': documentsOf(reordered(passages, scriptedOrder(question, passages))),
      'model, vector': documentsOf(bestBy(other, ({ vector }) => vector)),
      'model, hybrid': documentsOf(other),
    };
    judged.push({ question, documents, found, foundWithWords: found || rewritten !== undefined, ms });
  }
  return judged;
}

/** A model that selects every passage of a document with an answer, and no other: the upper bound of re-ranking. */
function scriptedOrder({ documents }: DocumentQuestion, passages: readonly Passage[]): number[] {
  return passages
    .slice(0, RERANKED)
    .flatMap(({ document }, at) => (documents.includes(document) ? [at + 1] : []));
}

function bestBy(
  passages: readonly Passage[],
  score: (scores: Passage['scores']) => number | null,
): Passage[] {
  const scored = passages.flatMap((passage) => {
    const value = score(passage.scores);
    return value === null ? [] : [{ passage, value }];
  });
  return scored.sort((one, other) => other.value - one.value).map(({ passage }) => passage);
}

function documentsOf(passages: readonly Passage[]): string[] {
  return passages.slice(0, DEPTH).map(({ document }) => document);
}

export interface DocumentFigures {
  questions: number;
  /** The share of questions with a right document among the first five passages. */
  recallAt5: number;
  /** Each right document counts once, at its first rank; the ideal has all of them at the top. */
  ndcgAt10: number;
}

export function documentFigures(
  judged: readonly JudgedQuestion[],
  order: Order,
  kind?: DocumentQuestion['kind'],
): DocumentFigures {
  const answerable = judged.filter(
    ({ question }) => question.documents.length > 0 && (kind ?? question.kind) === question.kind,
  );
  const mean = (gain: (judged: JudgedQuestion) => number) =>
    answerable.reduce((sum, each) => sum + gain(each), 0) / answerable.length;
  return {
    questions: answerable.length,
    recallAt5: mean(({ question, documents }) =>
      Number(documents[order].slice(0, 5).some((name) => question.documents.includes(name))),
    ),
    ndcgAt10: mean(({ question, documents }) => ndcg(documents[order], question.documents)),
  };
}

function ndcg(order: readonly string[], right: readonly string[]): number {
  const gain = (at: number) => 1 / Math.log2(at + 2);
  const gained = [...new Set(right)].reduce((sum, name) => {
    const at = order.indexOf(name);
    return at < 0 ? sum : sum + gain(at);
  }, 0);
  const ideal = right.slice(0, DEPTH).reduce((sum, _, at) => sum + gain(at), 0);
  return gained / ideal;
}
