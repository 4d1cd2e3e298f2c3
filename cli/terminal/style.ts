/** Styles for the terminal: colours if it supports them, and text without control characters. */

export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

/** Colours only on a terminal, and not with NO_COLOR (https://no-color.org) set to anything. */
export function styleFor(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): Style {
  const isColoured = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = (code: number) => (text: string) => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
  return { dim: paint(2), bold: paint(1), good: paint(32), warn: paint(33), bad: paint(31) };
}

// Line feed and tab are all that text needs.
const ACTS_ON_TERMINAL = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// It joins emoji, and only changes how the characters around it look.
const JOINER = '\u200D';

/** Replaces characters in untrusted text that move the cursor or change the direction with their code points. */
export function shown(text: string): string {
  return text.replace(ACTS_ON_TERMINAL, (each) =>
    each === JOINER ? each : `\\u{${each.codePointAt(0)?.toString(16)}}`,
  );
}

const GAP = '  ';
// Narrower than this is no longer a column.
const MIN_WIDTH = 20;

/** Rows as columns, as wide as their longest cells. If `width` is set, a row's last cell wraps below its beginning. */
export function columns(rows: readonly (readonly string[])[], width?: number): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, Bun.stringWidth(cell))),
    [],
  );
  const padded = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - Bun.stringWidth(cell));
  return rows.flatMap((row) => {
    const before = row.slice(0, -1).map(padded).join(GAP) + (row.length > 1 ? GAP : '');
    const room = width === undefined ? undefined : Math.max(MIN_WIDTH, width - Bun.stringWidth(before));
    const [first = '', ...more] = wrapped(row.at(-1) ?? '', room);
    return [before + first, ...more.map((line) => ' '.repeat(Bun.stringWidth(before)) + line)].map((line) =>
      line.trimEnd(),
    );
  });
}

/** Breaks at words if they fit. */
function wrapped(text: string, room: number | undefined): string[] {
  return room === undefined ? [text] : Bun.wrapAnsi(text, room, { hard: true }).split('\n');
}

/** The width of the terminal; undefined for a file or a pipe, whose lines are not wrapped. */
export function widthOf(stream: { isTTY?: boolean; columns?: number }): number | undefined {
  return stream.isTTY === true && stream.columns ? stream.columns : undefined;
}
