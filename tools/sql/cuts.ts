/** Describes the limits that have truncated a result, and the time zone of its times. */
import type { Column, Cut } from './engine.ts';

/** One sentence per limit; empty if nothing was truncated. */
export function cutText(cuts: readonly Cut[]): string {
  return cuts.map(sentence).join(' ');
}

function sentence({ limit, at }: Cut): string {
  const figure = at.toLocaleString('en');
  if (limit === 'rows') return `Cut off at ${figure} rows (max_rows).`;
  if (limit === 'bytes') return `Cut off at ${figure} bytes of rows.`;
  return `Long values are cut off at ${figure} characters.`;
}

export function hasZonedTimes(columns: readonly Column[]): boolean {
  return columns.some(({ type }) => /with time zone|timestamptz|timetz|datetimeoffset/i.test(type));
}
