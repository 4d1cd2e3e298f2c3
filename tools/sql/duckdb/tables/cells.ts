/** Converts DuckDB's values to JSON. */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api';
import type { SqlCell } from '../../engine.ts';

export const MAX_CELL = 4_000;
const MAX_DEPTH = 20;

/**
 * Numbers are JSON numbers, or text if JSON can't represent them: integers beyond 2^53, decimals with more than 15 digits, NaN
 * and the infinities. Dates and times are ISO 8601 (timestamps with a time zone in UTC), and blobs are `\x` and hexadecimal
 * digits. A cell has about `size` characters. If it was truncated, it ends with `…`.
 */
export function cell(
  value: DuckDBValue,
  type: DuckDBType,
  { size = MAX_CELL, noted = { cut: false } }: CellOptions = {},
): SqlCell {
  const float = type.typeId === DuckDBTypeId.FLOAT;
  return convert(float && typeof value === 'number' ? shortest(value) : value, { remaining: size, noted }, 0);
}

interface CellOptions {
  size?: number;
  /** `cut` is set to true when something is truncated. */
  noted?: { cut: boolean };
}

interface Budget {
  remaining: number;
  noted: { cut: boolean };
}

function convert(value: DuckDBValue, budget: Budget, depth: number): SqlCell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return cut(value, budget);
  if (typeof value === 'number') return spend(Number.isFinite(value) ? value : String(value), budget);
  if (typeof value === 'bigint') return spend(integer(value), budget);
  if (depth > MAX_DEPTH) return ellipsis(budget);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return list(value.items, budget, depth);
  if (value instanceof DuckDBStructValue) return struct(value, budget, depth);
  if (value instanceof DuckDBMapValue) {
    return object(
      value.entries.map(({ key, value }) => [keyText(key, depth), value]),
      budget,
      depth,
    );
  }
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue)
    return convert(value.value, budget, depth + 1);
  return scalar(value, budget);
}

function scalar(value: DuckDBValue, budget: Budget): SqlCell {
  if (value instanceof DuckDBDecimalValue) return spend(decimal(value), budget);
  if (value instanceof DuckDBBlobValue || value instanceof DuckDBGeometryValue)
    return cut(hex(value.bytes, budget), budget);
  if (value instanceof DuckDBDateValue && !value.isFinite) return value.days > 0 ? 'infinity' : '-infinity';
  if (value instanceof DuckDBTimestampTZValue)
    return spend(zoned(new DuckDBTimestampValue(value.micros).toString()), budget);
  return cut(
    TIMESTAMPS.some((kind) => value instanceof kind) ? isoText(String(value)) : String(value),
    budget,
  );
}

const TIMESTAMPS = [
  DuckDBTimestampValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
];

/** Years BC keep the database's notation: `0044-03-15 (BC) 12:00:00`. */
function isoText(text: string): string {
  return text.replace(/^([\d-]+) (?=\d)/, '$1T');
}

function zoned(text: string): string {
  return text.includes('infinity') ? text : `${isoText(text)}Z`;
}

function integer(value: bigint): SqlCell {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Fifteen digits survive conversion to a double and back. */
function decimal(value: DuckDBDecimalValue): SqlCell {
  const digits = String(value.value).replace('-', '').length;
  return digits <= 15 ? Number(value.toString()) : value.toString();
}

/** The shortest decimal that is the same 32-bit float, such as 0.1 instead of 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return value;
}

function hex(bytes: Uint8Array, { remaining }: Budget): string {
  return `\\x${Buffer.from(bytes.subarray(0, Math.max(0, remaining))).toString('hex')}`;
}

function list(items: readonly DuckDBValue[], budget: Budget, depth: number): SqlCell[] {
  const cells: SqlCell[] = [];
  for (const item of items) {
    if (budget.remaining <= 0) return [...cells, ellipsis(budget)];
    budget.remaining--;
    cells.push(convert(item, budget, depth + 1));
  }
  return cells;
}

/** The client only keeps one field of a row without field names, such as `(1, 2)`. An ellipsis is better than a wrong value. */
function struct({ entries }: DuckDBStructValue, budget: Budget, depth: number): SqlCell {
  return '' in entries ? '…' : object(Object.entries(entries), budget, depth);
}

function object(fields: [string, DuckDBValue][], budget: Budget, depth: number): SqlCell {
  const cells: [string, SqlCell][] = [];
  for (const [name, value] of fields) {
    if (budget.remaining <= 0) return Object.fromEntries([...cells, ['…', ellipsis(budget)]]);
    cells.push([String(cut(name, budget)), convert(value, budget, depth + 1)]);
  }
  return Object.fromEntries(cells);
}

function keyText(key: DuckDBValue, depth: number): string {
  const text = convert(key, { remaining: MAX_CELL, noted: { cut: false } }, depth + 1);
  return typeof text === 'string' ? text : JSON.stringify(text);
}

function cut(text: string, budget: Budget): SqlCell {
  const room = Math.max(0, budget.remaining);
  spend(text, budget);
  return text.length <= room
    ? text.toWellFormed()
    : `${text.slice(0, room).toWellFormed()}${ellipsis(budget)}`;
}

function ellipsis({ noted }: Budget): string {
  noted.cut = true;
  return '…';
}

function spend(value: string | number | SqlCell, budget: Budget): SqlCell {
  budget.remaining -= typeof value === 'string' ? value.length : 8;
  return value;
}
