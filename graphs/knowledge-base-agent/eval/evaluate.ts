/** How well a search finds the passages that answer questions, and whether it says so where nothing does. */
import type { Passage, SearchResult } from '../../tools/library/library.ts';
import { KINDS, lettersOf, type Question } from './questions.ts';

/** The best passages for a question, the best first. */
export type Search = (question: string, limit: number) => Promise<Found>;

export interface Found {
  /** Undefined where this way of searching does not say. */
  found?: SearchResult['found'];
  passages: readonly Pick<Passage, 'document' | 'text'>[];
}

export interface Judged {
  question: Question;
  /** The place of the first passage that answers, from 1; undefined where none of the first ten does. */
  rank: number | undefined;
  found: boolean | undefined;
}

export interface Figures {
  questions: number;
  /** The share of questions with an answer among the first five passages. */
  recallAt5: number;
  /** The mean of 1 / rank of the first answer among ten passages; 0 where there is none. */
  mrr: number;
  /** The mean of 1 / log2(rank + 1): each question has one answer, so its best gain is 1. */
  ndcgAt10: number;
}

const DEPTH = 10;

export async function evaluate(questions: readonly Question[], search: Search): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const question of questions) {
    const { found, passages } = await search(question.question, DEPTH);
    const at = passages.slice(0, DEPTH).findIndex((passage) => answers(question, passage));
    judged.push({ question, rank: at < 0 ? undefined : at + 1, found });
  }
  return judged;
}

/** Over the questions that have an answer, of one kind or of all. */
export function figures(judged: readonly Judged[], kind?: Question['kind']): Figures {
  const asked = judged.filter(
    ({ question }) => question.answers.length > 0 && (kind ?? question.kind) === question.kind,
  );
  const mean = (gain: (rank: number) => number) =>
    asked.reduce((sum, { rank }) => sum + (rank === undefined ? 0 : gain(rank)), 0) / asked.length;
  return {
    questions: asked.length,
    recallAt5: mean((rank) => Number(rank <= 5)),
    mrr: mean((rank) => 1 / rank),
    ndcgAt10: mean((rank) => 1 / Math.log2(rank + 1)),
  };
}

/** Of how many questions of each kind `found` is right: true where there is an answer, false where there is none. */
export function foundRight(
  judged: readonly Judged[],
): { kind: Question['kind']; right: number; of: number }[] {
  return KINDS.map((kind) => {
    const asked = judged.filter(({ question }) => question.kind === kind);
    const right = asked.filter(({ question, found }) => found === question.answers.length > 0);
    return { kind, right: right.length, of: asked.length };
  });
}

/** A passage answers if it holds the whole of a quote. */
function answers({ answers }: Question, { document, text }: Found['passages'][number]): boolean {
  const letters = lettersOf(text);
  return answers.some((answer) => answer.document === document && letters.includes(lettersOf(answer.quote)));
}
