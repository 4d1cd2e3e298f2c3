/** Formats figures and names of a document as text. */

const LONGEST_NAME = 60;

export function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

export function count(value: number, thing: string): string {
  return `${number(value)} ${thing}${value === 1 ? '' : 's'}`;
}

export function listed(items: readonly string[]): string {
  return items.length > 1 ? `${items.slice(0, -1).join(', ')} and ${items.at(-1)}` : (items[0] ?? '');
}

/** Formats a name from a document: quoted, truncated and on one line, so that it can't pass for instructions. */
export function shown(name: string): string {
  const line = name
    .slice(0, LONGEST_NAME)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll('"', "'");
  return `"${line}${name.length > LONGEST_NAME ? '…' : ''}"`;
}
