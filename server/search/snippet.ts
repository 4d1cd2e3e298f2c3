/** The place in a text where something was found. */
import { type SearchWord, wordSpans } from '../../state/search/words.ts';

export interface Snippet {
  snippet: string;
  /** Where the words are in it. */
  highlights: Highlight[];
}

/** `start` is included, `end` is not. */
export interface Highlight {
  start: number;
  end: number;
}

const BEFORE = 60;
const LENGTH = 240;

export function snippetOf(text: string, words: readonly SearchWord[]): Snippet {
  const matches = wordSpans(text).filter(({ tokens }) => tokens.some((token) => isOneOf(words, token)));
  const from = startOf(text, (matches[0]?.start ?? 0) - BEFORE);
  const to = Math.min(text.length, from + LENGTH);
  const start = from > 0 ? '… ' : '';
  const shift = start.length - from;
  return {
    snippet: `${start}${text.slice(from, to)}${to < text.length ? ' …' : ''}`,
    highlights: matches
      .filter(({ end }) => end <= to)
      .map((match) => ({ start: match.start + shift, end: match.end + shift })),
  };
}

function isOneOf(words: readonly SearchWord[], token: string): boolean {
  return words.some(({ tokens, isPrefix }) =>
    tokens.some((own, index) =>
      isPrefix && index === tokens.length - 1 ? token.startsWith(own) : token === own,
    ),
  );
}

/** The beginning of a word near a place. */
function startOf(text: string, place: number): number {
  if (place <= 0) return 0;
  const space = text.slice(place, place + BEFORE).search(/\s/);
  return space < 0 ? place : place + space + 1;
}
