/** Evaluates how well a search finds the passages that answer questions, and whether it reports that nothing does. */
import type { Passage, SearchResult } from '../../tools/knowledge/library.ts';
import { KINDS, lettersOf, type Question } from './questions.ts';

/** Returns all candidates: with fewer, vectors and words alone would be evaluated on what their fusion left. */
export type Search = (question: string) => Promise<SearchResult>;

/** By vectors alone, by words alone, and by both. */
export const WAYS = ['vector', 'text', 'hybrid'] as const;
export type Way = (typeof WAYS)[number];

export interface Judged {
  question: Question;
  /** The rank of the first passage that answers, from 1; undefined if none of the first ten does. */
  ranks: Record<Way, number | undefined>;
  found: boolean;
}

export interface Figures {
  questions: number;
  /** The share of questions with an answer among the first five passages. */
  recallAt5: number;
  /** The mean of 1 / rank of the first answer among ten passages; 0 without one. */
  mrr: number;
  /** The mean of 1 / log2(rank + 1): each question has one answer, so its best gain is 1. */
  ndcgAt10: number;
}

const DEPTH = 10;

export async function evaluate(questions: readonly Question[], search: Search): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const question of questions) {
    const { found, passages } = await search(question.question);
    const rank = (order: readonly Passage[]) => rankOf(question, order);
    const ranks = {
      vector: rank(bestBy(passages, ({ vector }) => vector)),
      text: rank(bestBy(passages, ({ text }) => text)),
      hybrid: rank(passages),
    };
    judged.push({ question, ranks, found });
  }
  return judged;
}

/** Over the answerable questions, of one kind or of all. */
export function figures(judged: readonly Judged[], way: Way, kind?: Question['kind']): Figures {
  const answerable = judged.filter(
    ({ question }) => question.answers.length > 0 && (kind ?? question.kind) === question.kind,
  );
  const ranks = answerable.flatMap(({ ranks }) => ranks[way] ?? []);
  const mean = (gain: (rank: number) => number) =>
    ranks.reduce((sum, rank) => sum + gain(rank), 0) / answerable.length;
  return {
    questions: answerable.length,
    recallAt5: mean((rank) => Number(rank <= 5)),
    mrr: mean((rank) => 1 / rank),
    ndcgAt10: mean((rank) => 1 / Math.log2(rank + 1)),
  };
}

/** For how many questions of each kind `found` is right: true with an answer, false without. */
export function foundRight(
  judged: readonly Judged[],
): { kind: Question['kind']; right: number; of: number }[] {
  return KINDS.map((kind) => {
    const ofKind = judged.filter(({ question }) => question.kind === kind);
    const right = ofKind.filter(({ question, found }) => found === question.answers.length > 0);
    return { kind, right: right.length, of: ofKind.length };
  });
}

/** The results of one of the two searches, in its own order. */
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

function rankOf(question: Question, order: readonly Passage[]): number | undefined {
  const at = order.slice(0, DEPTH).findIndex((passage) => answers(question, passage));
  return at < 0 ? undefined : at + 1;
}

/** A passage is an answer if it contains a whole quote. */
function answers({ answers }: Question, { document, text }: Passage): boolean {
  const letters = lettersOf(text);
  return answers.some((answer) => answer.document === document && letters.includes(lettersOf(answer.quote)));
}
