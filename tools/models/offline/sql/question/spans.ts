/** Parses a year, quarter, half-year, month or day as a span of days. */

import type { Token } from '../tokens.ts';
import type { Match, Span } from './reading.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const ORDINALS = ['first', 'second', 'third', 'fourth'];
/** A year, a quarter, a half-year, a month of a year, or a day. */
export function spanAt(tokens: readonly Token[], at: number): Match<Span> | undefined {
  const token = tokens[at];
  if (!token || token.quoted) return undefined;
  const iso = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(token.text);
  if (iso)
    return { length: 1, update: iso[3] ? daySpan(token.text) : monthSpan(Number(iso[1]), Number(iso[2])) };
  return partAt(tokens, at) ?? dayAt(tokens, at) ?? monthAt(tokens, at) ?? yearAt(tokens, at);
}

function yearAt(tokens: readonly Token[], at: number): Match<Span> | undefined {
  const lead = tokens[at]?.word === 'year' || tokens[at]?.word === 'in' ? 1 : 0;
  const year = yearOf(tokens[at + lead]);
  return year === undefined
    ? undefined
    : { length: 1 + lead, update: { from: `${year}-01-01`, before: `${year + 1}-01-01` } };
}

function monthAt(tokens: readonly Token[], at: number): Match<Span> | undefined {
  const month = monthOf(tokens[at]);
  const gap = tokens[at + 1]?.word === 'of' ? 1 : 0;
  const year = yearOf(tokens[at + 1 + gap]);
  return month && year ? { length: 2 + gap, update: monthSpan(year, month) } : undefined;
}

/** "3 May 2024", "May 3rd 2024". */
function dayAt(tokens: readonly Token[], at: number): Match<Span> | undefined {
  const [first, second, third] = tokens.slice(at, at + 3);
  const month = monthOf(first) ?? monthOf(second);
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec((monthOf(first) ? second : first)?.word ?? '')?.[1]);
  const year = yearOf(third);
  if (!month || !year || !(day >= 1 && day <= 31)) return undefined;
  return { length: 3, update: daySpan(`${year}-${two(month)}-${two(day)}`) };
}

/** "Q1 2024", "first quarter of 2024", "second half of 2023". */
function partAt(tokens: readonly Token[], at: number): Match<Span> | undefined {
  const lead = tokens[at]?.word === 'the' ? 1 : 0;
  const [first, second, ...rest] = tokens.slice(at + lead, at + lead + 4).map(({ word }) => word);
  const short = /^q([1-4])$/.exec(first ?? '')?.[1];
  const nth = short ? Number(short) : ORDINALS.indexOf(first ?? '') + 1;
  const isHalf = !short && second === 'half';
  if (nth < 1 || (!short && !isHalf && second !== 'quarter')) return undefined;
  const after = short ? [second, ...rest] : rest;
  const gap = after[0] === 'of' || after[0] === 'in' ? 1 : 0;
  const length = lead + (short ? 1 : 2) + gap;
  const year = yearOf(tokens[at + length]);
  if (!year) return undefined;
  const months = isHalf ? 6 : 3;
  const update = {
    from: monthStart(year, (nth - 1) * months + 1),
    before: monthStart(year, nth * months + 1),
  };
  return { length: length + 1, update };
}

/** The number of the month, from 1 to 12. */
export function monthOf(token: Token | undefined): number | undefined {
  const word = token?.word ?? '';
  const index = MONTHS.findIndex(
    (month) =>
      month === word ||
      (word.length >= 3 && month.slice(0, 3) === word) ||
      (word === 'sept' && month === 'september'),
  );
  return index < 0 ? undefined : index + 1;
}

function yearOf(token: Token | undefined): number | undefined {
  return token && !token.quoted && /^(?:19|20)\d\d$/.test(token.text) ? Number(token.text) : undefined;
}

function monthSpan(year: number, month: number): Span {
  return { from: monthStart(year, month), before: monthStart(year, month + 1) };
}

/** The first day of a month. Month 13 is the next January. */
function monthStart(year: number, month: number): string {
  return month > 12 ? `${year + 1}-01-01` : `${year}-${two(month)}-01`;
}

function daySpan(day: string): Span {
  const next = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(next.getTime())) return { from: day, before: day };
  next.setUTCDate(next.getUTCDate() + 1);
  return { from: day, before: next.toISOString().slice(0, 10) };
}

export const two = (number: number): string => String(number).padStart(2, '0');
