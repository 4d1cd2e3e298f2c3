/** The unused parts of pages: overwriting them removes deleted data and changes no rows, whatever was written before. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { remainsIn } from '../../../../state/sqlite/file/page-remains.ts';
import { property } from '../../../support/property.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-remains-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Change {
  kind: 'insert' | 'update' | 'delete';
  table: (typeof TABLES)[number];
  key: number;
  length: number;
}

let filesWithRemains = 0;

const TABLES = ['rows', 'keyed', 'words'] as const;
const TABLES_SQL = `
  CREATE TABLE rows (key INTEGER PRIMARY KEY, text TEXT, label TEXT);
  CREATE INDEX rows_by_label ON rows (label);
  CREATE TABLE keyed (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'ascii');
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);`;

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'update', 'delete'),
  table: fc.constantFrom(...TABLES),
  key: fc.nat(60),
  // Up to several overflow pages.
  length: fc.oneof(fc.nat(80), fc.nat(700), fc.nat(6_000)),
});
const lengths = fc.array(fc.nat(900), { minLength: 5, maxLength: 40 });
const pageSize = fc.constantFrom(512, 1_024, 4_096, 65_536);

function apply(db: Database, { kind, table, key, length }: Change): void {
  const text = `${key % 2 === 0 ? 'canary' : 'bystander'} `.repeat(1 + length / 8);
  const id = table === 'words' ? 'rowid' : 'key';
  const value = table === 'keyed' ? `${key % 2 === 0 ? 'canary' : 'bystander'} ${key}` : key;
  db.query(`DELETE FROM ${table} WHERE ${id} = ?`).run(value);
  if (kind === 'delete') return;
  const columns = table === 'rows' ? 'key, text, label' : `${id}, text`;
  const label = table === 'rows' ? [text.slice(0, 300)] : [];
  const first = kind === 'update' ? '' : text;
  const holes = ['?', '?', ...label.map(() => '?')].join(', ');
  db.query(`INSERT INTO ${table} (${columns}) VALUES (${holes})`).run(value, first, ...label);
  // The row grows in place, which moves others.
  if (kind === 'update') db.query(`UPDATE ${table} SET text = ? WHERE ${id} = ?`).run(text, value);
}

/** Many short rows that grow later, as runs do when they end. */
function growRows(db: Database, lengths: readonly number[]): void {
  for (let key = 100; key < 100 + lengths.length * 8; key++)
    for (const table of TABLES) apply(db, { kind: 'insert', table, key, length: 0 });
  for (const [place, length] of lengths.entries())
    for (let key = 100 + place * 8; key < 108 + place * 8; key++)
      for (const table of TABLES) apply(db, { kind: 'update', table, key, length });
}

function deleteCanaries(db: Database): void {
  db.run('DELETE FROM rows WHERE key % 2 = 0');
  db.run(`DELETE FROM keyed WHERE key LIKE 'canary%'`);
  db.run('DELETE FROM words WHERE rowid % 2 = 0');
}

const contentOf = (db: Database) => [
  db.query('SELECT * FROM rows ORDER BY key').all(),
  db.query('SELECT label FROM rows INDEXED BY rows_by_label ORDER BY label').all(),
  db.query('SELECT * FROM keyed ORDER BY key').all(),
  db.query(`SELECT rowid, text FROM words WHERE words MATCH 'bystander' ORDER BY rowid`).all(),
];

property(
  'overwriting the unused parts removes deleted text and keeps all rows',
  [pageSize, lengths, fc.array(change, { maxLength: 60 })],
  (size, grown, changes) => {
    const path = join(folder, `${crypto.randomUUID()}.db`);
    const db = new Database(path, { create: true });
    db.run(`PRAGMA page_size = ${size}`);
    db.run('PRAGMA secure_delete = ON');
    db.run('PRAGMA synchronous = OFF');
    db.run('PRAGMA journal_mode = MEMORY');
    db.run(TABLES_SQL);
    growRows(db, grown);
    for (const one of changes) apply(db, one);
    deleteCanaries(db);
    const before = contentOf(db);
    db.close();
    const bytes = readFileSync(path);
    if (bytes.includes('canary')) filesWithRemains++;
    for (let start = 0; start < bytes.length; start += size) {
      const page = bytes.subarray(start, start + size);
      const [from, to] = remainsIn(page, start / size + 1) ?? [0, 0];
      page.fill(0, from, to);
    }
    expect(bytes.includes('canary')).toBe(false);
    writeFileSync(path, bytes);
    const after = new Database(path, { readonly: true });
    expect(contentOf(after)).toEqual(before);
    expect(after.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    after.close();
    rmSync(path);
  },
  { costs: 10 },
);

test('some of these files had remains', () => {
  expect(filesWithRemains).toBeGreaterThan(0);
});

property(
  'any bytes have a valid result',
  [fc.uint8Array({ minLength: 512, maxLength: 512 }), fc.constantFrom(2, 5, 10, 13)],
  (bytes, type) => {
    const page = Buffer.from(bytes);
    page[0] = type;
    const [start, end] = remainsIn(page, 2) ?? [8, 9];
    expect(start).toBeGreaterThanOrEqual(8);
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(page.length);
  },
);
