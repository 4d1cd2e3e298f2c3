/** Cuts a snippet so that it starts shortly before its first match, which is then visible in one line. */
import type { Hit } from '../data/search.ts';

type Snippet = Pick<Hit, 'snippet' | 'highlights'>;

/** The number of characters before the match. */
const CONTEXT = 16;
const ELLIPSIS = '… ';

export function nearMatch({ snippet, highlights }: Snippet): Snippet {
  const place = (highlights[0]?.start ?? 0) - CONTEXT;
  if (place <= 0) return { snippet, highlights };
  const space = snippet.slice(place, place + CONTEXT).search(/\s/);
  const from = space < 0 ? place : place + space + 1;
  const shift = ELLIPSIS.length - from;
  return {
    snippet: ELLIPSIS + snippet.slice(from),
    highlights: highlights.map(({ start, end }) => ({ start: start + shift, end: end + shift })),
  };
}
