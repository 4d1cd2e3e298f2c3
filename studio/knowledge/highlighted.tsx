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
// They are in every passage, and say nothing of why it was found.
const COMMON = new Set(
  (
    'the and for are was were you your our his her its this that these those with from has have had not but ' +
    'can could will would should may does did how what when where which who why there any all'
  ).split(' '),
);

function patternOf(query: string): RegExp | undefined {
  const words = (query.match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => word.length >= SHORTEST && !COMMON.has(word.toLowerCase()),
  );
  if (words.length === 0) return undefined;
  // What is left of a word without its ending finds its other forms.
  const forms = words.map((word) => {
    const stem = word.replace(/(?:ies|es|y|s|ed|ing)$/i, '');
    return stem.length >= 4 ? `${stem}[\\p{L}\\p{N}]{0,3}` : word;
  });
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}
