/** The task `knowledge_answer`: quotes what passages of documents say about a question, with the numbers of the passages. */

import { type ReadPassage, readPassagesText } from '../../../text/passages-text.ts';
import { jsonValues, taggedLines } from '../../../text/untrusted-json.ts';
import { VAGUE_WORDS } from '../language/stop-words.ts';
import { clip, contentWords, stem } from '../language/text.ts';
import { type ChatRequest, lastUserText } from '../request.ts';
import { quotables } from './quotable.ts';

const MAX_QUOTES = 3;
const LONGEST_NAME = 200;
/** The minimum score of a quote, as a share of the best score. */
const NEAR_BEST = 0.6;
/** The factor for a word of the heading, relative to a word of the sentence. */
const HEADING_SHARE = 0.8;
const FIGURE_BONUS = 1.3;
/** The factor for words such as "use" and "need", which occur in most questions, but are rarely their subject. */
const VAGUE_SHARE = 0.4;
/** The factor per rank of the passage, so that a sentence of a later passage must match better. */
const RANK_SHARE = 0.93;

/** Undefined if no message has passages. */
export function knowledgeAnswer(request: ChatRequest): string | undefined {
  const passages = request.data.map(readPassagesText).find((found) => found !== undefined);
  return passages && said(passages, questionOf(request));
}

/** The question of the request, which names what a follow-up refers to, and the message. */
function questionOf(request: ChatRequest): string {
  const lines = request.data.map((block) => taggedLines(block, 'question')).find((found) => found);
  const [question] = jsonValues(lines?.[0] ?? '') ?? [];
  return typeof question === 'string' ? `${question} ${lastUserText(request)}` : lastUserText(request);
}

interface Quote {
  n: number;
  document: string;
  text: string;
  score: number;
  at: number;
}

function said(passages: ReadPassage[], question: string): string {
  const quotes = bestQuotes(passages, question);
  if (quotes.length === 0) {
    const [nearest] = passages;
    const where = nearest ? `; the nearest is in ${clip(nearest.document, LONGEST_NAME)} [${nearest.n}]` : '';
    // Short, so that the check of citations does not mark it as unsupported.
    return `None of these words is there${where}.`;
  }
  const documents = [...new Set(quotes.map(({ document }) => document))];
  return documents
    .map((document) => {
      const own = quotes.filter((quote) => quote.document === document);
      return [
        `From ${clip(document, LONGEST_NAME)}:`,
        ...own.map(({ text, n }) => `- ${cited(text, n)}`),
      ].join('\n');
    })
    .join('\n\n');
}

/** "It holds two years [1]." */
function cited(text: string, n: number): string {
  const [, sentence = text, end = ''] = /^(.*?)([.!?…]?)$/.exec(text) ?? [];
  return `${sentence} [${n}]${end}`;
}

function bestQuotes(passages: ReadPassage[], question: string): Quote[] {
  const candidates = candidatesIn(passages);
  const weights = weightsOf(
    question,
    candidates.map(({ words }) => words),
  );
  const wantsFigure =
    /\b(?:how (?:long|much|many|often|far|heavy|old|big|soon)|when|price|cost|what time)\b/i.test(question);
  const most = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scored = candidates.map(({ words, above, ...quote }, at) => {
    const own = weightIn(words, weights);
    const said = own + HEADING_SHARE * weightIn(above.difference(words), weights);
    const figure = wantsFigure && own > 0 && /\d/.test(quote.text) ? FIGURE_BONUS : 1;
    return { ...quote, at, score: said * (said / most) * figure * RANK_SHARE ** (quote.n - 1) };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  if (best === 0) return [];
  return scored
    .filter(({ score }) => score >= NEAR_BEST * best)
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_QUOTES)
    .toSorted((a, b) => a.at - b.at);
}

interface Candidate {
  n: number;
  document: string;
  text: string;
  words: Set<string>;
  above: Set<string>;
}

/**
 * Each quotable text once, from the shortest passage that contains it, because its number points to the text most precisely.
 */
function candidatesIn(passages: ReadPassage[]): Candidate[] {
  const found = new Map<string, Candidate & { length: number }>();
  for (const { n, document, heading, text } of passages) {
    for (const quote of quotables(text)) {
      const key = `${document}\n${quote.text}`;
      const known = found.get(key);
      if (known && known.length <= text.length) continue;
      const above = `${document} ${quote.heading || heading}`;
      const one = { n, document, text: quote.text, words: stemsOf(quote.text), above: stemsOf(above) };
      found.set(key, { ...one, length: text.length });
    }
  }
  return [...found.values()];
}

/** Weights words by the inverse document frequency of BM25, plus 1, so that words that occur everywhere still count. */
function weightsOf(question: string, all: ReadonlySet<string>[]): Map<string, number> {
  const wanted = stemsOf(question);
  return new Map(
    [...wanted].map((word) => {
      const having = all.filter((words) => words.has(word)).length;
      const weight = 1 + Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
      return [word, VAGUE.has(word) ? VAGUE_SHARE * weight : weight];
    }),
  );
}

const VAGUE: ReadonlySet<string> = new Set([...VAGUE_WORDS].map(stem));

function weightIn(words: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, weight] of weights) if (words.has(word)) sum += weight;
  return sum;
}

function stemsOf(text: string): Set<string> {
  return new Set(
    contentWords(text)
      .flatMap((word) => [word, ...(word.includes('-') ? word.split('-') : [])])
      .map(stem),
  );
}
