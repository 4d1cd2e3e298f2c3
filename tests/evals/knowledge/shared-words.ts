/** Finds the content words that a question shares with the text around its answer. */
import { STOP_WORDS } from '../../../tools/models/offline/language/stop-words.ts';
import { stem } from '../../../tools/models/offline/language/text.ts';

/** The number of characters on each side of a quote that count as its passage, within its section. */
const AROUND = 600;

/** The stems of a text's content words. The parts of a hyphenated word count separately. */
export function contentStems(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .replace(/[’‘]/g, "'")
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem));
}

/** The headings above a quote and the text around it. */
export function passageAround(markdown: string, quote: string): string {
  const range = rangeOf(markdown, quote);
  const headings: { level: number; start: number; end: number; text: string }[] = [];
  for (const match of markdown
    .replace(/^```.*?^```/gms, (code) => code.replace(/#/g, ' '))
    .matchAll(/^(#+) (.+)$/gm))
    headings.push({
      level: match[1]?.length ?? 1,
      start: match.index,
      end: match.index + match[0].length,
      text: match[2] ?? '',
    });
  const above = headings.filter(({ start }) => start <= range.start);
  const path = above.filter(({ level }, at) => above.slice(at + 1).every((later) => later.level > level));
  const next = headings.find(({ start }) => start > range.start)?.start ?? markdown.length;
  const text = markdown.slice(
    Math.max(above.at(-1)?.end ?? 0, range.start - AROUND),
    Math.min(next, range.end + AROUND),
  );
  return [...path.map((heading) => heading.text), text].join('\n');
}

function rangeOf(text: string, quote: string): { start: number; end: number } {
  const parts = quote.match(/[\p{L}\p{N}]+/gu) ?? [];
  const match = new RegExp(parts.join('[^\\p{L}\\p{N}]*'), 'iu').exec(text);
  if (!match) throw new Error(`no "${quote}"`);
  return { start: match.index, end: match.index + match[0].length };
}
