/** A text with the words of a search highlighted, including other forms of the words. */

export function Highlighted({ text, query }: { text: string; query: string }) {
  const pattern = patternOf(query);
  if (!pattern) return text;
  // Because the pattern has one group, every second part is a match.
  return text.split(pattern).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text keep their order
      <mark key={index}>{part}</mark>
    ) : (
      part
    ),
  );
}

const MIN_LENGTH = 3;
// Stop words don't explain why a passage was found.
const STOP_WORDS = new Set(
  (
    'the and for are was were you your our his her its this that these those with from has have had not but ' +
    'can could will would should may does did how what when where which who why there any all'
  ).split(' '),
);

function patternOf(query: string): RegExp | undefined {
  const words = (query.match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => word.length >= MIN_LENGTH && !STOP_WORDS.has(word.toLowerCase()),
  );
  if (words.length === 0) return undefined;
  // Match other forms of a word by its stem.
  const forms = words.map((word) => {
    const stem = word.replace(/(?:ies|es|y|s|ed|ing)$/i, '');
    return stem.length >= 4 ? `${stem}[\\p{L}\\p{N}]{0,3}` : word;
  });
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}
