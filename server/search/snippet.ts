/** Extracts the part of a text around the first match of a search. */
import { type SearchWord, wordSpans } from '../../state/search/words.ts';

export interface Snippet {
  snippet: string;
  /** The matches in the snippet. */
  highlights: Highlight[];
}

/** In UTF-16 code units. `start` is inclusive, `end` exclusive. */
export interface Highlight {
  start: number;
  end: number;
}

// In UTF-16 code units: the text before the first match, and the whole snippet.
const BEFORE = 60;
const LENGTH = 240;

/** Returns about 240 characters from shortly before the first match, with `…` at truncated ends. */
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

/** The start of the first word after a position, or the position itself if no word starts before the match. */
function startOf(text: string, position: number): number {
  if (position <= 0) return 0;
  const space = text.slice(position, position + BEFORE).search(/\s/);
  return space < 0 ? position : position + space + 1;
}
