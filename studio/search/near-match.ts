/** A snippet that begins shortly before its first match, so that one line of it shows the match. */
import type { Hit } from '../data/search.ts';

type Snippet = Pick<Hit, 'snippet' | 'highlights'>;

/** Characters. */
const BEFORE = 16;
const MORE = '… ';

export function nearMatch({ snippet, highlights }: Snippet): Snippet {
  const place = (highlights[0]?.start ?? 0) - BEFORE;
  if (place <= 0) return { snippet, highlights };
  const space = snippet.slice(place, place + BEFORE).search(/\s/);
  const from = space < 0 ? place : place + space + 1;
  const shift = MORE.length - from;
  return {
    snippet: MORE + snippet.slice(from),
    highlights: highlights.map(({ start, end }) => ({ start: start + shift, end: end + shift })),
  };
}
