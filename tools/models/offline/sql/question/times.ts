/** Parses years, quarters, months, days, and ranges of them. */

import type { Token } from '../tokens.ts';
import type { Match } from './reading.ts';
import { monthOf, spanAt, two } from './spans.ts';

const AFTER = new Set(['after', 'past']);
const SINCE = new Set(['since', 'from', 'starting']);
const BEFORE = new Set(['before']);
const UNTIL = new Set(['until', 'till', 'through', 'to']);

/** A time at this position, including a word before it that makes it open on one side: "since May 2023". */
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

/** A month without a year, which means that month of every year. */
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
