/** Answers questions about what the person said earlier, by quoting it. */

import { asksForName, statedName } from '../language/names.ts';
import { isQuestion, isSelfStatement } from '../language/sentence-kind.ts';
import { clip, contentWords, quoted, sentences, stem, stems } from '../language/text.ts';
import { topic } from '../language/topic.ts';
import { isExplicit, isMemoryQuestion, isYesOrNo } from './memory-question.ts';

const stemSet = (text: string): ReadonlySet<string> => new Set(text.split(' ').map(stem));

/** Words that belong to asking, not to the subject. */
const ASKING = stemSet(
  'remember recall remind tell told say said mention mentioned know earlier before conversation thread again exactly',
);
/** Groups of related words, because a question may use other words than the statement. */
const RELATED = [
  'bike ride riding cycle cycling cyclist trek',
  'live home city town address moved based from country',
  'job work profession employed employer company career',
  'old age year born birthday',
  'name called',
  'tall height cm metre meter',
  'budget spend euro dollar afford price',
  'color red blue green black white yellow gray orange purple pink',
  'phone number call',
  'favorite like love prefer best enjoy',
  'wife husband partner married',
].map(stemSet);
const RELATED_WEIGHT = 0.6;

const TOLD_OF_ONESELF = 0.3;

const MAX_QUOTES = 3;
/** "What do you know about me?" may have a longer answer. */
const MAX_QUOTES_OF_ALL = 5;
const LONGEST_QUOTE = 300;
const MAX_WORDS_ASKED = 40;

/**
 * The answer to a question about the speaker, from their own earlier sentences, oldest first. Undefined if the message has no
 * such question, or the sentences don't answer it.
 */
export function recall(message: string, earlier: string[]): string | undefined {
  const now = sentences(message);
  const asked = now.find(isMemoryQuestion);
  if (!asked) return undefined;

  const statements = [...earlier, ...now].filter(
    (sentence) => !isQuestion(sentence) && !isMemoryQuestion(sentence),
  );
  const name = asksForName(asked)
    ? statements.map(statedName).findLast((found) => found !== undefined)
    : undefined;
  const quotes = bestMatches(asked, statements);
  const answers = [
    ...(name ? [`Your name is ${name}.`] : []),
    ...(quotes.length > 0 ? [`You told me earlier: ${closed(quotes)}`] : []),
  ];
  return answers.length > 0 ? answers.join(' ') : nothingFound(asked);
}

/** The sentences that share the most content words with the question, in the order in which they were said. */
function bestMatches(asked: string, statements: string[]): string[] {
  const isNoSubject = (word: string) => ASKING.has(word) || (asksForName(asked) && word === stem('name'));
  const wanted = [...new Set(contentWords(asked).map(stem))]
    .filter((word) => !isNoSubject(word))
    .slice(0, MAX_WORDS_ASKED);
  if (wanted.length === 0) {
    return isExplicit(asked) && !asksForName(asked)
      ? statements.filter(isSelfStatement).slice(-MAX_QUOTES_OF_ALL)
      : [];
  }
  const scored = statements.map((sentence, at) => ({ sentence, at, score: overlap(wanted, sentence) }));
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  if (best < leastOverlap(asked, wanted.length)) return [];
  return scored
    .filter(({ score }) => score >= 0.75 * best)
    .toSorted((a, b) => b.score - a.score || b.at - a.at)
    .slice(0, MAX_QUOTES)
    .toSorted((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence);
}

/**
 * The minimum overlap, plus the bonus for statements about the speaker, which is not an overlap. Any mention answers "do you
 * remember", but not every sentence about the bike answers "is my bike blue?".
 */
function leastOverlap(asked: string, wanted: number): number {
  if (isExplicit(asked)) return RELATED_WEIGHT;
  return TOLD_OF_ONESELF + Math.max(RELATED_WEIGHT, (isYesOrNo(asked) ? 0.6 : 0.5) * wanted);
}

/** 1 for each shared word, and less for a related one. Statements about the speaker get a bonus. */
function overlap(wanted: string[], sentence: string): number {
  const said = new Set(stems(sentence));
  const isRelated = (word: string) => RELATED.some((group) => group.has(word) && !group.isDisjointFrom(said));
  const shared = wanted.reduce(
    (sum, word) => sum + (said.has(word) ? 1 : isRelated(word) ? RELATED_WEIGHT : 0),
    0,
  );
  return shared > 0 && isSelfStatement(sentence) ? shared + TOLD_OF_ONESELF : shared;
}

function closed(quotes: string[]): string {
  const said = [...new Set(quotes)].map((quote) => clip(quote, LONGEST_QUOTE).replaceAll('"', "'"));
  const text = quoted(said);
  return /[.!?…]"$/.test(text) ? text : `${text}.`;
}

function nothingFound(asked: string): string | undefined {
  if (asksForName(asked)) return 'You have not told me your name in this conversation.';
  if (!isExplicit(asked)) return undefined;
  const about = topic(asked);
  return about === 'general'
    ? 'You have not told me anything about yourself in this conversation.'
    : `I find nothing about "${about}" in what you told me in this conversation.`;
}
