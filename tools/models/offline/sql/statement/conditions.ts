/** Converts the restrictions of a question to SQL conditions: values, times and comparisons. */
import { literal } from '../../../../sql/quote.ts';
import type { Comparison, Named, Reading, Span } from '../question/reading.ts';
import { type Entity, type Field, isCalled } from '../tables/catalog.ts';
import { byColumn } from './alternatives.ts';
import type { Draft } from './draft.ts';
import { dateOf, nearest } from './pick.ts';

/** The conditions as SQL and in words, or the reason why they are not possible. */
export type Conditions = { sql: string[]; words: string[] } | { problem: string };

/** All conditions on rows. `comparisons`: those that compare columns. */
export function conditionsOf(
  reading: Reading,
  draft: Draft,
  { entities, comparisons }: { entities: readonly Entity[]; comparisons: readonly Comparison[] },
): Conditions {
  const named = namedConditions(reading, draft, entities);
  if ('problem' in named) return named;
  const times = timeConditions(reading, draft, entities);
  if ('problem' in times) return times;
  const sql = [...named.sql, ...times.sql];
  const words = [...named.words, ...times.words];
  for (const comparison of comparisons) {
    const { noun } = comparison;
    const numbers = noun?.kind === 'field' ? noun.fields.filter(({ role }) => role === 'number') : [];
    const field = nearest(numbers, draft.base, entities);
    const column = field && draft.column(field);
    if (!field || !column) return { problem: `I cannot tell which column to compare with ${comparison.low}` };
    sql.push(comparisonCondition(column, comparison));
    words.push(comparisonCondition(`${field.entity.name}.${field.name}`, comparison));
  }
  return { sql, words };
}

function namedConditions(reading: Reading, draft: Draft, entities: readonly Entity[]): Conditions {
  const sql: string[] = [];
  const words: string[] = [];
  for (const group of byColumn(reading.named, draft.base, entities)) {
    const parts = group.named.map((each) => valueCondition(each, each.fields, draft));
    if (group.isUnclear)
      return { problem: `I cannot tell which column "or ${group.named[0]?.value}" refers to` };
    if (group.fields.length === 0 || parts.includes(undefined))
      return { problem: `no column can contain "${group.named[0]?.value}"` };
    sql.push(parts.length > 1 ? `(${parts.join(group.negated ? ' AND ' : ' OR ')})` : (parts[0] ?? ''));
    const names = group.fields.map(({ entity, name }) => `${entity.name}.${name}`).join(' or ');
    const values = group.named.map(({ value }) => `"${value}"`).join(group.negated ? ' and ' : ' or ');
    words.push(`${names} ${group.negated ? 'is not' : 'is'} ${values}`);
  }
  return { sql, words };
}

/** A guessed value may be in any of the columns, with any capitalization. */
function valueCondition(
  { value, known, negated }: Named,
  fields: readonly Field[],
  draft: Draft,
): string | undefined {
  const columns = fields.map((field) => draft.column(field)).filter((column) => column !== undefined);
  const [first] = columns;
  if (first === undefined) return undefined;
  if (known) return `${first} ${negated ? '<>' : '='} ${literal(value)}`;
  const lowered = columns.map((column) => `lower(${column})`).join(', ');
  const tests = formsOf(value).map((form) => {
    const wanted = literal(form);
    if (columns.length === 1) return `${lowered} ${negated ? '<>' : '='} ${wanted}`;
    return `${wanted} ${negated ? 'NOT IN' : 'IN'} (${lowered})`;
  });
  return tests.length > 1 ? `(${tests.join(negated ? ' AND ' : ' OR ')})` : tests[0];
}

/** "E-bikes" may be stored as "e-bike". */
function formsOf(value: string): string[] {
  const lower = value.toLowerCase();
  return /^[a-z-]+[^s]s$/.test(value) ? [lower, lower.slice(0, -1)] : [lower];
}

function timeConditions(reading: Reading, draft: Draft, entities: readonly Entity[]): Conditions {
  const { spans, months } = reading;
  if (spans.length + months.length === 0) return { sql: [], words: [] };
  const date = dateOf(draft.base, reading, entities);
  const column = date && draft.column(date);
  if (!date || !column) return { problem: `the table ${draft.base.name} has no date` };
  const name = `${date.entity.name}.${date.name}`;
  if (spans.length > 1 && (namesDate(reading) || spans.some(({ from, before }) => !from || !before)))
    return {
      problem: 'the question contains several times, and I cannot tell which column each one refers to',
    };
  const isYear = date.role === 'number';
  const parts = spans.map((span) => (isYear ? yearCondition(column, span) : spanCondition(column, span)));
  const isPart = spans.some((span) => [span.from, span.before].some((day) => day && !day.endsWith('-01-01')));
  if (isYear && (isPart || months.length > 0)) return { problem: `${name} has only years` };
  return {
    sql: [
      ...(parts.length > 0 ? [parts.length > 1 ? `(${parts.join(' OR ')})` : (parts[0] ?? '')] : []),
      ...(months.length > 0 ? [`month(${column}) IN (${months.join(', ')})`] : []),
    ],
    words: [
      ...spans.map(
        ({ from, before }) => `${name}${from ? ` from ${from}` : ''}${before ? ` before ${before}` : ''}`,
      ),
      ...months.map((month) => `${name} in month ${month}`),
    ],
  };
}

/**
 * Whether the question names a date, as in "stores that opened in 2015" or "of the model year 2023". Each time may then refer
 * to a different column.
 */
function namesDate({ nouns }: Reading): boolean {
  return nouns.some(
    (noun) =>
      noun.kind === 'field' && noun.fields.some((each) => each.role === 'date' || isCalled(each, 'year')),
  );
}

function spanCondition(column: string, { from, before }: Span): string {
  const parts = [from && `${column} >= DATE '${from}'`, before && `${column} < DATE '${before}'`].filter(
    Boolean,
  );
  return parts.length > 1 ? `(${parts.join(' AND ')})` : parts.join('');
}

function yearCondition(column: string, { from, before }: Span): string {
  const [low, high] = [from, before].map((day) => (day ? Number(day.slice(0, 4)) : undefined));
  if (low !== undefined && high !== undefined && high - low === 1) return `${column} = ${low}`;
  const parts = [
    low !== undefined && `${column} >= ${low}`,
    high !== undefined && `${column} < ${high}`,
  ].filter(Boolean);
  return parts.length > 1 ? `(${parts.join(' AND ')})` : parts.join('');
}

export function comparisonCondition(expression: string, { operator, low, high }: Comparison): string {
  return operator === 'between'
    ? `${expression} BETWEEN ${low} AND ${high}`
    : `${expression} ${operator} ${low}`;
}
