/** A text with the words of a search marked, whatever their endings. */

export function Highlighted({ text, query }: { text: string; query: string }) {
  const pattern = patternOf(query);
  if (!pattern) return text;
  // With one group, every second part is what fitted.
  return text.split(pattern).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text keep their places
      <mark key={index}>{part}</mark>
    ) : (
      part
    ),
  );
}

const SHORTEST = 3;

function patternOf(query: string): RegExp | undefined {
  const words = (query.match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length >= SHORTEST);
  if (words.length === 0) return undefined;
  // What is left of a word without its ending finds its other forms.
  const stems = words.map((word) => (word.length > 4 ? word.replace(/(?:ies|es|s|ed|ing)$/i, '') : word));
  const longestFirst = [...new Set(stems)].sort((a, b) => b.length - a.length);
  return new RegExp(
    `(?<![\\p{L}\\p{N}])((?:${longestFirst.join('|')})[\\p{L}\\p{N}]{0,3})(?![\\p{L}\\p{N}])`,
    'giu',
  );
}
