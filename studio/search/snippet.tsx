/** A snippet of a result with highlighted words. */
import type { Hit } from '../data/search.ts';

export function Snippet({ snippet, highlights }: Pick<Hit, 'snippet' | 'highlights'>) {
  const parts = highlights.map(({ start, end }, index) => ({
    before: snippet.slice(highlights[index - 1]?.end ?? 0, start),
    word: snippet.slice(start, end),
    start,
  }));
  return (
    <span className="snippet">
      {parts.map(({ before, word, start }) => (
        <span key={start}>
          {before}
          <mark>{word}</mark>
        </span>
      ))}
      {snippet.slice(highlights.at(-1)?.end ?? 0)}
    </span>
  );
}
