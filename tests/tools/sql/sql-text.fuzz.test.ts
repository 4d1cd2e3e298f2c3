/** SQL, CSV and the blocks of prompts can contain any text, which is read back unchanged. */
import { afterAll, expect } from 'bun:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { identifier, literal } from '../../../tools/sql/quote.ts';
import { readResultText, resultText } from '../../../tools/sql/result-text.ts';
import { readSchemaText, schemaText } from '../../../tools/sql/schema-text.ts';
import { csvLine } from '../../../tools/sql/write-csv.ts';
import { dataBlock, pointerTo, setApart, withBlocks, withPointers } from '../../../tools/text/block.ts';
import { untrustedJson } from '../../../tools/text/untrusted-json.ts';
import { anyOrder, anyText, property } from '../../support/property.ts';

const instance = await DuckDBInstance.create();
const connection = await instance.connect();
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const QUOTES = ["'", '"', "''", '""', '\\', '--', '/*', '*/', ';', '$$', 'E', 'select', ' ', '\n', 'é', '😀'];
const wellFormed = fc.oneof(anyText, anyOrder(QUOTES, 12)).map((text) => text.toWellFormed());

property(
  'DuckDB reads a quoted text and a quoted name unchanged',
  [wellFormed, wellFormed],
  async (text, name) => {
    const [value, column] = [text, `x${name}`].map((one) => one.replaceAll('\0', ''));
    const reader = await connection.runAndReadAll(
      `SELECT ${literal(value ?? '')} AS ${identifier(column ?? '')}`,
    );
    expect([reader.columnNames(), reader.getRows()]).toEqual([[column ?? ''], [[value ?? '']]]);
  },
);

const cell = fc.oneof(
  wellFormed,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

property(
  'a line of CSV is parsed into its original cells',
  [fc.array(fc.oneof(anyOrder(['"', ',', '\n', '\r', ' ', 'a', '=']), cell), { minLength: 1, maxLength: 6 })],
  (cells) => {
    // One empty line is no row.
    fc.pre(cells.length > 1 || cells[0] !== null);
    const rows: string[][] = parse(csvLine(cells), { relax_column_count: true });
    expect(rows).toEqual([cells.map((one) => (one === null ? '' : String(one)))]);
  },
);

const names = fc.uniqueArray(
  wellFormed.filter((name) => name.length > 0 && name.length <= 50 && name !== '__proto__'),
  { maxLength: 4 },
);
const short = fc.oneof(
  wellFormed.filter((text) => text.length <= 60),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

property(
  'a result in a prompt is parsed unchanged',
  [
    fc.string(),
    names,
    fc.array(fc.array(short, { minLength: 4, maxLength: 4 }), { maxLength: 5 }),
    fc.boolean(),
  ],
  (sql, columns, values, truncated) => {
    const rows = values.map((row) =>
      Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])),
    );
    const result = {
      columns: columns.map((name) => ({ name, type: 'VARCHAR' })),
      rows,
      rowCount: rows.length,
      truncated,
    };
    const text = resultText(sql, result);
    expect(
      text.split('\n').every((line) => line === text.split('\n')[0] || !/<(?!\/query_result>$)/.test(line)),
    ).toBeTrue();
    expect(readResultText(`before\n${text}\nafter`)).toEqual(result);
  },
);

property(
  'a schema in a prompt is parsed unchanged',
  [names, names, fc.array(short, { maxLength: 4 })],
  (tables, columns, samples) => {
    const written = tables.map((name, index) => ({
      name,
      rows: index,
      columns: columns.map((column) => ({ name: column, type: 'INTEGER', samples })),
    }));
    expect(readSchemaText(schemaText(written))).toEqual(written);
  },
);

property(
  'untrusted text is one line of JSON that cannot end a tag',
  [anyText, fc.nat(40)],
  (text, length) => {
    const json = untrustedJson(text, length);
    expect(json).not.toMatch(/[<>\n\r\u2028\u2029\u202e]/);
    const cut = text.length > length ? `${text.slice(0, length)}…` : text;
    expect(JSON.parse(json)).toBe(cut.toWellFormed());
  },
);

property(
  'a block of a prompt is separated from it, whatever lines it contains',
  [fc.array(anyText, { maxLength: 4 }), anyOrder(['a', '\n', ' ', '<', '>'])],
  (lines, text) => {
    const block = dataBlock('facts', lines);
    expect(withPointers({ block }).block).toBe(pointerTo('facts'));
    const prompt = `${text}${pointerTo('facts')}`;
    expect(setApart(withBlocks(prompt, { block }))).toEqual({ text: prompt, blocks: [block] });
  },
);
