/** Formats statements and rows as Markdown. Their content is untrusted and never becomes markup. */
import type { QueryResult, SqlCell } from '../../tools/sql/engine.ts';

/** A code block whose fence is longer than any run of backticks inside it. */
export function codeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** At most `limit` rows; values cannot break out of their cell. */
export function markdownTable({ columns, rows }: QueryResult, limit: number): string {
  const names = columns.map(({ name }) => name);
  const line = (cells: string[]) => `| ${cells.map(inert).join(' | ')} |`;
  return [
    line(names),
    `|${' --- |'.repeat(names.length)}`,
    ...rows.slice(0, limit).map((row) => line(names.map((name) => textOf(row[name])))),
  ].join('\n');
}

function textOf(cell: SqlCell | undefined): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

// Characters that begin emphasis, code, links, HTML, references or, in GitHub's dialect, autolinks.
const ACTIVE = /[\\`<>[\]*~&@]|:\/\/|www\.|(^|\W)_|_(\W|$)/i;
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\s]+/gu;

/** Returns plain text unchanged, and possible markup as code, in which only the bar of the table needs a backslash. */
function inert(text: string): string {
  const line = text.replaceAll(INVISIBLE, ' ').trim();
  const barred = line.replaceAll('|', '\\|');
  if (!ACTIVE.test(line)) return barred;
  const ticks = '`'.repeat(longestRun(line) + 1);
  return `${ticks} ${barred} ${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
