/** Words that the rules don't support. If they were ignored or used as values, the answer would be for another question. */
import type { Entity } from '../tables/catalog.ts';
import type { Token } from '../tokens.ts';
import { comparisonAt } from './comparisons.ts';
import { nounAt } from './nouns.ts';
import type { Match } from './reading.ts';
import { valueAt } from './values.ts';

const WORDS = new Set(
  `nothing nobody noone monday tuesday wednesday thursday friday saturday sunday weekend workday spring summer
  autumn winter season percent percentage proportion ratio alphabetical alphabetic alphabetically yesterday tomorrow
  consecutive`
    .trim()
    .split(/\s+/),
);

const RELATIVE = /^(?:last|past|previous|this|next|current|recent)$/;
const PERIOD = /^(?:days?|weeks?|months?|quarters?|years?|decades?)$/;

/** Matches "on Mondays", "in percent", "the last 30 days", "every month" with a comparison, and "or more than 5000". */
export function beyondAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  const token = tokens[at];
  if (!token || token.quoted) return undefined;
  const relative = relativeTime(tokens, at);
  if (relative > 0) return beyond(tokens, at, relative);
  const next = tokens[at + 1]?.word ?? '';
  const isAll = /^(?:every|each)$/.test(token.word) && PERIOD.test(next);
  if (isAll && /^which$/.test(tokens[0]?.word ?? '')) return beyond(tokens, at, 2);
  if (isAll && tokens.slice(0, at).some((_, index) => isBound(tokens, index, entities)))
    return beyond(tokens, at, 2);
  if (token.word === 'or' && comparisonAt(tokens, at + 1, entities)) return beyond(tokens, at, 1);
  if (/^weekdays?$/.test(token.word) && tokens[at - 1]?.word === 'on') return beyond(tokens, at, 1);
  const isKnown = nounAt(tokens, at, entities) ?? valueAt(tokens, at, entities);
  return isBeyond(token.word) && !isKnown ? beyond(tokens, at, 1) : undefined;
}

function isBeyond(word: string): boolean {
  return WORDS.has(word) || WORDS.has(word.replace(/s$/, ''));
}

/** The number of words of a time relative to today, which the tables don't contain. "The last 5 months" is not a ranking. */
function relativeTime(tokens: readonly Token[], at: number): number {
  if (!RELATIVE.test(tokens[at]?.word ?? '')) return 0;
  const gap = tokens[at + 1]?.number === undefined ? 1 : 2;
  return PERIOD.test(tokens[at + gap]?.word ?? '') ? gap + 1 : 0;
}

function isBound(tokens: readonly Token[], at: number, entities: readonly Entity[]): boolean {
  return (comparisonAt(tokens, at, entities)?.update.comparisons?.length ?? 0) > 0;
}

function beyond(tokens: readonly Token[], at: number, length: number): Match {
  const words = tokens.slice(at, at + length).map(({ text }) => text);
  return { length, update: { unknown: [words.join(' ')] } };
}
