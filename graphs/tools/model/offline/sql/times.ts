/** Reads years, months, quarters, days and ranges of them. */
import type { Reading, Span } from './reading.ts';
import type { Token } from './tokens.ts';

export interface Match<T = Partial<Reading>> {
  length: number;
  update: T;
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const AFTER = new Set(['after', 'past']);
const SINCE = new Set(['since', 'from', 'starting']);
const BEFORE = new Set(['before']);
const UNTIL = new Set(['until', 'till', 'through', 'to']);

/** A time at this place, with the word before it that makes it open on one side: "since May 2023". */
export function timeAt(tokens: readonly Token[], at: number): Match | undefined {
  const word = tokens[at]?.word ?? '';
  const range = rangeAt(tokens, at);
  if (range) return range;
  const lead = AFTER.has(word) || SINCE.has(word) || BEFORE.has(word) || UNTIL.has(word) ? 1 : 0;
  const span = spanAt(tokens, at + lead);
  if (!span) return lead === 0 ? bareMonthAt(tokens, at) : undefined;
  const { from, before } = span.update;
  const length = span.length + lead;
  if (AFTER.has(word)) return { length, update: { spans: [{ from: before }] } };
  if (SINCE.has(word) && word !== 'from') return { length, update: { spans: [{ from }] } };
  if (BEFORE.has(word)) return { length, update: { spans: [{ before: from }] } };
  if (UNTIL.has(word)) return { length, update: { spans: [{ before }] } };
  return { length, update: { spans: [span.update] } };
}

/** "between March and May 2023", "from 2022 to 2023", "2023-01-01 to 2023-03-31". */
function rangeAt(tokens: readonly Token[], at: number): Match | undefined {
  const word = tokens[at]?.word ?? '';
  const lead = word === 'between' || word === 'from' ? 1 : 0;
  const first = spanAt(tokens, at + lead) ?? bareMonth(tokens, at + lead);
  if (!first) return undefined;
  const middle = at + lead + first.length;
  const connects = word === 'between' ? ['and'] : ['to', 'until', 'till', 'through'];
  const last = connects.includes(tokens[middle]?.word ?? '') ? spanAt(tokens, middle + 1) : undefined;
  if (!last) return undefined;
  const year = last.update.from?.slice(0, 4) ?? '';
  const start = 'month' in first.update ? `${year}${first.update.month}-01` : first.update.from;
  return {
    length: middle + 1 + last.length - at,
    update: { spans: [{ from: start, before: last.update.before }] },
  };
}

/** One year, quarter, half, month of a year, or day. */
function spanAt(tokens: readonly Token[], at: number): Match<Span> | undefined {
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

/** A month of every year. */
function bareMonthAt(tokens: readonly Token[], at: number): Match | undefined {
  const found = bareMonth(tokens, at);
  const isVerb = tokens[at]?.word === 'may' && !/^(?:in|during|of|for|per)$/.test(tokens[at - 1]?.word ?? '');
  return found && !isVerb
    ? { length: 1, update: { months: [Number(found.update.month.slice(1))] } }
    : undefined;
}

function bareMonth(tokens: readonly Token[], at: number): Match<{ month: string }> | undefined {
  const month = monthOf(tokens[at]);
  return month ? { length: 1, update: { month: `-${two(month)}` } } : undefined;
}

function monthOf(token: Token | undefined): number | undefined {
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

/** Month 13 is the next January. */
function monthStart(year: number, month: number): string {
  return month > 12 ? `${year + 1}-01-01` : `${year}-${two(month)}-01`;
}

function daySpan(day: string): Span {
  const next = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(next.getTime())) return { from: day, before: day };
  next.setUTCDate(next.getUTCDate() + 1);
  return { from: day, before: next.toISOString().slice(0, 10) };
}

const two = (number: number): string => String(number).padStart(2, '0');
