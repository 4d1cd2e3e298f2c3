/** Formats the schema of a database for a prompt, and parses it from one. */
import { dataBlock } from '../text/block.ts';
import { jsonValues, taggedLines, untrustedJson } from '../text/untrusted-json.ts';
import type { SqlCell, Table } from './engine.ts';

const TAG = 'database_schema';
const LONGEST_VALUE = 60;
const LONGEST_NAME = 200;
const MAX_SAMPLES = 40;
// The maximum size in a prompt, about thirty thousand tokens.
const LONGEST_TEXT = 120_000;

/**
 * A block of lines between `<database_schema>` tags. Names, types and values are JSON strings, so that none of them can look
 * like a line or a tag.
 *
 * <database_schema> table "stores" (12 rows) column "city" "VARCHAR" values ["Berlin", "Munich"] </database_schema>
 */
export function schemaText(tables: readonly Table[]): string {
  const whole = linesOf(tables);
  const lines = lengthOf(whole) <= LONGEST_TEXT ? whole : linesOf(tables.map(withoutSamples));
  return dataBlock(TAG, upTo(LONGEST_TEXT, lines));
}

function linesOf(tables: readonly Table[]): string[] {
  return tables.flatMap(({ name, rows, columns }) => [
    `table ${untrustedJson(name, LONGEST_NAME)} (${rows} rows)`,
    ...columns.map(
      (column) =>
        `  column ${untrustedJson(column.name, LONGEST_NAME)} ${untrustedJson(column.type, LONGEST_NAME)} values [${values(column.samples)}]`,
    ),
  ]);
}

function withoutSamples(table: Table): Table {
  return { ...table, columns: table.columns.map((column) => ({ ...column, samples: [] })) };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** As many lines as fit. */
function upTo(longest: number, lines: readonly string[]): string[] {
  let length = 0;
  return lines.filter((line) => {
    length += line.length + 1;
    return length <= longest;
  });
}

/** The tables of the first such block in a text. Anything after it is untrusted. */
export function readSchemaText(text: string): Table[] | undefined {
  const lines = taggedLines(text, TAG);
  if (!lines) return undefined;
  const tables: Table[] = [];
  for (const line of lines) {
    const [, name, rows] = /^table (".*") \((\d+) rows\)$/.exec(line) ?? [];
    const [table] = jsonValues(name ?? '') ?? [];
    if (typeof table === 'string') tables.push({ name: table, rows: Number(rows), columns: [] });
    const column = columnIn(line);
    if (column) tables.at(-1)?.columns.push(column);
  }
  return tables;
}

function columnIn(line: string): Table['columns'][number] | undefined {
  const [, ...parts] =
    /^ {2}column ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*") values (\[.*\])$/.exec(line) ?? [];
  const [name, type, samples] = jsonValues(parts.join(', ')) ?? [];
  if (typeof name !== 'string' || typeof type !== 'string' || !Array.isArray(samples)) return undefined;
  return { name, type, samples };
}

function values(samples: readonly SqlCell[]): string {
  return samples
    .slice(0, MAX_SAMPLES)
    .map((value) => untrustedJson(value, LONGEST_VALUE))
    .join(', ');
}
