/** Converts a server's text values to JSON, with the same mapping as the local database's. */
import type { SqlCell } from '../engine.ts';

export type Kind = 'integer' | 'decimal' | 'float' | 'boolean' | 'timestamp' | 'zoned' | 'list' | 'text';

/**
 * Numbers are JSON numbers, or text if JSON can't represent them: integers beyond 2^53, decimals with more than 15 digits, NaN
 * and the infinities. Dates and times are ISO 8601. Text longer than `size` is cut off and ends with `…`.
 */
export function cell(text: string | null, kind: Kind, size: number): SqlCell {
  if (text === null) return null;
  if (kind === 'boolean') return text === 't' || text === 'true' || text === '1';
  if (kind === 'integer') return exact(text, Number.isSafeInteger(Number(text)));
  if (kind === 'decimal') return exact(text, text.replace(/[-.]/g, '').replace(/^0+/, '').length <= 15);
  if (kind === 'float') return exact(text, true);
  if (kind === 'timestamp') return text.replace(/^([\d-]+) (?=\d)/, '$1T');
  if (kind === 'zoned') return text.replace(/^([\d-]+) (?=\d)/, '$1T').replace(/\+00(?::00)?$/, 'Z');
  if (kind === 'list' && text.length <= size) return listOf(text);
  return cut(text, size);
}

function exact(text: string, fits: boolean): SqlCell {
  const number = Number(text);
  return fits && Number.isFinite(number) && text.trim() !== '' ? number : text;
}

function listOf(text: string): SqlCell {
  try {
    return JSON.parse(text) as SqlCell;
  } catch {
    return text;
  }
}

function cut(text: string, size: number): string {
  return text.length <= size ? text.toWellFormed() : `${text.slice(0, size).toWellFormed()}…`;
}
