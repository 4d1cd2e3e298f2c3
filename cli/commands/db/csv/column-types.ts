/** Detects the type of each column from all its values, without the words that mean NULL. */
import { literal } from '../../../../tools/sql/quote.ts';
import type { DuckDBFile } from '../duckdb-file.ts';
import type { ReadOptions } from '../read-options.ts';
import { type Candidate, candidates, WITH_COMMA } from './candidates.ts';
import { isNullWord } from './null-words.ts';
import { STAGING, trimmed } from './staging.ts';

export interface ColumnType {
  name: string;
  type: string;
  /** The column's values in a SELECT over the staging table. */
  sql: string;
  /** Hints for the person who imports. */
  notes: string[];
}

/** The share of a column's values that must have its type for NULL words to become NULL; below it, they are only suggested. */
const TAKEN_FROM = 0.95;
const SAMPLED = 5_000;

export async function columnType(
  database: DuckDBFile,
  name: string,
  options: ReadOptions,
): Promise<ColumnType> {
  const column: Column = { name, text: textOf(name, options.nulls) };
  const [plausible, all] = [await plausibleOf(database, column, options), column.text];
  const { total, words, fits } = await counted(database, column, plausible);
  const given = `${all === trimmed(name) ? `"${name.replaceAll('"', '""')}"` : keptText(name, options.nulls)}`;
  const text = (...notes: string[]): ColumnType => ({ name, type: 'VARCHAR', sql: given, notes });
  if (total === 0) return text('no values');
  const whole = plausible.filter(
    (_, index) => (fits[index] ?? 0) + words.count === total && (fits[index] ?? 0) > 0,
  );
  const [chosen, ...others] = whole;
  if (!chosen) return text(...(await whyText(database, column, { plausible, fits, total, words })));
  const rival = others.find((other) => !chosen.isGiven && chosen.from && other.from);
  if (rival)
    return text(`${chosen.from} or ${rival.from}? Choose with --date-format ${chosen.from?.slice(5)}`);
  const share = (total - words.count) / total;
  if (words.count > 0 && share < TAKEN_FROM)
    return text(
      `${figure(words.count)} of ${figure(total)} values are ${words.list}, the others ${plural(chosen)}: --null ${words.flag}`,
    );
  const notes = [chosen.from, words.count > 0 ? `${figure(words.count)} ${words.list} are NULL` : undefined];
  return {
    name,
    type: chosen.type,
    sql: chosen.value(all),
    notes: notes.filter((note) => note !== undefined),
  };
}

interface Column {
  name: string;
  /** The trimmed text; NULL if it is empty or a word given with --null. */
  text: string;
}

function textOf(name: string, nulls: readonly string[]): string {
  const value = trimmed(name);
  const without = ['', ...nulls].map(literal).join(', ');
  return `CASE WHEN ${value} NOT IN (${without}) THEN ${value} END`;
}

/** A text column keeps its spaces. */
function keptText(name: string, nulls: readonly string[]): string {
  const column = `"${name.replaceAll('"', '""')}"`;
  if (nulls.length === 0) return column;
  return `CASE WHEN ${trimmed(name)} NOT IN (${nulls.map(literal).join(', ')}) THEN ${column} END`;
}

/** The candidates that some of the first values have: this rules most of them out. */
async function plausibleOf(
  database: DuckDBFile,
  { text }: Column,
  options: ReadOptions,
): Promise<Candidate[]> {
  const all = candidates(options);
  const counts = all.map((each) => `count(${each.value('v')})::INTEGER`);
  const [row = []] = await database.rows(
    `SELECT ${counts.join(', ')} FROM (SELECT ${text} AS v FROM ${STAGING} WHERE (${text}) IS NOT NULL LIMIT ${SAMPLED})`,
  );
  return all.filter((_, index) => Number(row[index]) > 0);
}

interface Words {
  count: number;
  /** The words as the column has them, for people and as the flag's value. */
  list: string;
  flag: string;
}

interface Counted {
  total: number;
  words: Words;
  /** The number of values that each candidate fits. */
  fits: number[];
}

async function counted(database: DuckDBFile, { text }: Column, plausible: Candidate[]): Promise<Counted> {
  const isWord = isNullWord('v');
  const counts = plausible.map(
    (each) => `count(CASE WHEN NOT ${isWord} THEN ${each.value('v')} END)::INTEGER`,
  );
  const [row = []] = await database.rows(
    `SELECT count(v)::INTEGER, count(CASE WHEN ${isWord} THEN 1 END)::INTEGER,
     list_sort(list(DISTINCT CASE WHEN ${isWord} THEN v END)) ${counts.map((each) => `, ${each}`).join('')}
     FROM (SELECT ${text} AS v FROM ${STAGING})`,
  );
  const [total, count, list, ...fits] = row;
  const found = Array.isArray(list) ? list.filter((word) => word !== null).map(String) : [];
  return {
    total: Number(total),
    words: { count: Number(count), list: found.map((word) => `"${word}"`).join(', '), flag: found.join(',') },
    fits: fits.map(Number),
  };
}

async function whyText(
  database: DuckDBFile,
  column: Column,
  found: Counted & { plausible: Candidate[] },
): Promise<string[]> {
  const [[comma, codes] = []] = await database.rows(
    `SELECT count(${WITH_COMMA.value('v')})::INTEGER, count(CASE WHEN regexp_full_match(v, '[0-9]+') THEN 1 END)::INTEGER
     FROM (SELECT ${column.text} AS v FROM ${STAGING})`,
  );
  const values = found.total - found.words.count;
  if (values > 0 && codes === values) return ['digits with leading zeros stay text'];
  const near = await nearMiss(database, column, found);
  if (near.length > 0 || values === 0 || comma !== values) return near;
  return ['numbers with a decimal comma? --decimal , makes them numbers'];
}

/** Names the few values that keep a column from being numbers or times. */
async function nearMiss(
  database: DuckDBFile,
  { text }: Column,
  { plausible, fits, total, words }: Counted & { plausible: Candidate[] },
): Promise<string[]> {
  const most = Math.max(0, ...fits);
  const near = most === total - words.count ? undefined : plausible[fits.indexOf(most)];
  if (!near || near.type === 'HUGEINT' || most + words.count < total * TAKEN_FROM) return [];
  const others = await database.rows(
    `SELECT DISTINCT v FROM (SELECT ${text} AS v FROM ${STAGING}) WHERE v IS NOT NULL AND (${near.value('v')}) IS NULL ORDER BY 1 LIMIT 3`,
  );
  const shown = others.map(([value]) => `"${String(value).slice(0, 30)}"`).join(', ');
  return [`${figure(most)} of ${figure(total)} values are ${plural(near)}, not ${shown}`];
}

const KINDS: Record<string, string> = { BOOLEAN: 'truth values', DATE: 'dates', TIME: 'times' };

function plural({ type }: Candidate): string {
  if (type.startsWith('TIMESTAMP')) return 'times';
  return KINDS[type] ?? 'numbers';
}

function figure(count: number): string {
  return count.toLocaleString('en');
}
