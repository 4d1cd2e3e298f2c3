/** How `skein db import` reads messy CSV files, and what it reports. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { spawnCommand } from '../support/process.ts';
import { rowsOf } from '../tools/sql/rows-of.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-db-import-'));
let folders = 0;
let folder = root;
beforeEach(() => {
  folder = join(root, String(folders++));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true }));

const database = () => join(folder, '.tmp', 'sample.duckdb');

async function imported(name: string, content: string | Uint8Array, ...args: string[]) {
  await Bun.write(join(folder, name), content);
  const child = spawnCommand(['db', 'import', name, ...args], folder);
  await Promise.all([Array.fromAsync(child.lines), child.errors]);
  return { code: await child.exited, output: child.output() };
}

/** The lines about columns, with single spaces. */
function columnsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /^ {2}(?!line )\S/.test(line))
    .map((line) => line.trim().replace(/ +/g, ' '));
}

test('NA and similar words are NULL if nearly the whole column is numeric, and this is reported', async () => {
  const rows = Array.from({ length: 100 }, (_, n) => `${n},${n === 7 || n === 9 ? 'NA' : n / 4},city ${n}`);
  const { code, output } = await imported('prices.csv', `id,price,city\n${rows.join('\n')}\n`);
  expect(code).toBe(0);
  expect(output).toStartWith('prices.csv: 100 rows are now in table prices of ');
  expect(columnsIn(output)).toEqual(['id BIGINT', 'price DOUBLE 2 "NA" are NULL', 'city VARCHAR']);
  expect(await rowsOf(database(), 'SELECT count(price)::INT, max(price) FROM prices')).toEqual([[98, 24.75]]);
});

test('if many values are such words, --null is suggested, and reads them as NULL', async () => {
  const content = 'score,country\n1,NA\n-,DE\n3,-\nn/a,FR\n';
  const offered = await imported('scores.csv', content);
  expect(columnsIn(offered.output)).toEqual([
    'score VARCHAR 2 of 4 values are "-", "n/a", the others numbers: --null -,n/a',
    'country VARCHAR',
  ]);
  const taken = await imported('scores.csv', content, '--replace', '--null', '-,n/a');
  expect(columnsIn(taken.output)).toEqual(['score BIGINT', 'country VARCHAR']);
  expect(await rowsOf(database(), 'SELECT score::INT, country FROM scores')).toEqual([
    [1, 'NA'],
    [null, 'DE'],
    [3, null],
    [null, 'FR'],
  ]);
});

test('rows with too many values are skipped, rows with too few are filled with NULL, and both are listed', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => `${n},x`).join('\n');
  const { code, output } = await imported('ragged.csv', `a,b\n${rows}\n5\n6,7,8\n9,y\n`);
  expect(code).toBe(0);
  expect(output).toContain('ragged.csv: 30002 rows are now in table ragged of ');
  expect(output).toContain(
    '1 row with missing values, which are NULL:\n  line 30002: 1 value, expected 2: 5\n',
  );
  expect(output).toContain(
    '1 row did not fit and was left out:\n  line 30003: 3 values, expected 2: 6,7,8\n',
  );
  const few = await imported('few.csv', 'a,b\n1,2\n3\n4,5,6\n7,"8\n9"\n');
  expect(few.output).toContain('  line 3: 1 value, expected 2: 3\n');
  expect(few.output).toContain('  line 4: 3 values, expected 2: 4,5,6\n');
  expect(await rowsOf(database(), 'SELECT a::INT, b FROM few')).toEqual([
    [1, '2'],
    [3, null],
    [7, '8\n9'],
  ]);
  const tabs = await imported('tabs.tsv', 'a, b\tc\td\n1, 2\t3\n4, 5\t6\t7\n');
  expect(columnsIn(tabs.output)).toEqual(['a, b VARCHAR', 'c BIGINT', 'd BIGINT']);
});

test('lines before the header are shown, and lines that begin with # are rows', async () => {
  const before = await imported('report.csv', 'Sales report\n\nid,name\n1,a\n2,b\n');
  expect(before.output).toContain('2 lines before the rows were left out:\n  Sales report\n');
  const hashes = await imported('hashes.csv', 'tag,n\n#a,1\nb,2\n');
  expect(hashes.output).toContain('2 rows are now in table hashes');
});

test('--decimal is suggested for numbers with a decimal comma, and reads them', async () => {
  const content = 'Name;Betrag\nMüller;1.234,50\nMeier;0,5\n';
  expect(columnsIn((await imported('betrag.csv', content)).output)).toEqual([
    'Name VARCHAR',
    'Betrag VARCHAR numbers with a decimal comma? --decimal , makes them numbers',
  ]);
  await imported('betrag.csv', content, '--replace', '--decimal', ',');
  expect(await rowsOf(database(), 'SELECT "Betrag" FROM betrag ORDER BY 1')).toEqual([[0.5], [1234.5]]);
});

test('dates are read in the only matching format, and stay text if two match', async () => {
  const { output } = await imported(
    'days.csv',
    'german,american,either,zoned\n31.12.2023,12/31/2023,01/02/2024,2024-01-01T10:00:00+02:00\n01.02.2024,01/02/2024,03/04/2024,2024-01-01 09:00:00Z\n',
  );
  expect(columnsIn(output)).toEqual([
    'german DATE from %d.%m.%Y',
    'american DATE from %m/%d/%Y',
    'either VARCHAR from %d/%m/%Y or from %m/%d/%Y? Choose with --date-format %d/%m/%Y',
    'zoned TIMESTAMP WITH TIME ZONE',
  ]);
  expect(await rowsOf(database(), 'SELECT german::VARCHAR, american::VARCHAR FROM days LIMIT 1')).toEqual([
    ['2023-12-31', '2023-12-31'],
  ]);
  const result = await imported('said.csv', 'd\n01/02/2024\n', '--date-format', '%m/%d/%Y');
  expect(columnsIn(result.output)).toEqual(['d DATE from %m/%d/%Y']);
  expect(await rowsOf(database(), 'SELECT d::VARCHAR FROM said')).toEqual([['2024-01-02']]);
});

test('codes keep their leading zeros, large numbers keep their digits, and a single odd value is named', async () => {
  const rows = Array.from(
    { length: 50 },
    (_, n) => `0${n},${n + 1}00000000000000000000,${n === 3 ? 'n.v.' : n}`,
  );
  const { output } = await imported('codes.csv', `zip,big,odd\n${rows.join('\n')}\n`);
  expect(columnsIn(output)).toEqual([
    'zip VARCHAR digits with leading zeros stay text',
    'big HUGEINT',
    'odd VARCHAR 49 of 50 values are numbers, not "n.v."',
  ]);
});

test('a file in another encoding is rejected with a hint to --encoding, and read with it', async () => {
  const latin = Buffer.from('a,b\n1,café\n2,x\n', 'latin1');
  const refused = await imported('latin.csv', latin);
  expect([refused.code, refused.output]).toEqual([
    1,
    'latin.csv: Line: 2; the text is not UTF-8; set its encoding, as in --encoding windows-1252\n',
  ]);
  expect((await imported('latin.csv', latin, '--encoding', 'latin-1')).code).toBe(0);
  expect(await rowsOf(database(), 'SELECT b FROM latin')).toEqual([['café'], ['x']]);
  await imported('packed.csv.gz', gzipSync(latin), '--encoding', 'cp1252');
  expect(await rowsOf(database(), 'SELECT b FROM packed')).toEqual([['café'], ['x']]);
  await imported('marked.csv', Buffer.from('\ufeffa,b\n1,ü\n', 'utf16le'));
  expect(await rowsOf(database(), 'SELECT a::INT, b FROM marked')).toEqual([[1, 'ü']]);
  expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
});

test('compressed files, other delimiters, and SQL keywords as names are supported', async () => {
  await imported('packed.csv.gz', gzipSync('a;b\n1;2\n'));
  expect(await rowsOf(database(), 'SELECT a::INT + b::INT FROM packed')).toEqual([[3]]);
  await imported('late.jsonl.gz', gzipSync('{"a":1}\n{"a":2,"late":"x"}\n'));
  expect(await rowsOf(database(), 'SELECT late FROM late ORDER BY a')).toEqual([[null], ['x']]);
  for (const name of ['semi', 'anti', 'select', 'order', 'table'])
    expect((await imported(`${name}.csv`, 'select,from,group\n1,2,3\n')).output).toContain(
      `in table ${name} of`,
    );
  expect(await rowsOf(database(), 'SELECT "select"::INT, "from"::INT FROM "semi"')).toEqual([[1, 2]]);
  const stars = await imported('stars.csv', 'a*b*c\n1*2*3\n', '--delimiter', '*');
  expect(columnsIn(stars.output)).toEqual(['a BIGINT', 'b BIGINT', 'c BIGINT']);
});

test('invalid flags and an empty file are rejected', async () => {
  for (const [flag, value, expected] of [
    ['--decimal', ';', 'expected . or ,'],
    ['--encoding', 'klingon', 'expected an encoding'],
    ['--delimiter', 'abcde', 'expected one to four characters'],
    ['--date-format', 'dd.mm.yyyy', 'expected a format such as'],
  ] as const) {
    const { code, output } = await imported('t.csv', 'a\n1\n', flag, value);
    expect([code, output]).toEqual([2, expect.stringContaining(expected)]);
  }
  const zones = Array.from({ length: 40 }, (_, n) => `${n}\tx\ty${n % 2 ? '\tz' : ''}`);
  const comments = Array.from({ length: 10 }, (_, n) => `# comment ${n}`);
  const preface = await imported('preface.tsv', `${[...comments, ...zones].join('\n')}\n`);
  expect([preface.code, preface.output]).toEqual([1, expect.stringContaining('Check the delimiter')]);
  const empty = await imported('empty.csv', '');
  expect([empty.code, empty.output]).toEqual([1, 'empty.csv: the file is empty\n']);
  expect(existsSync(database())).toBe(false);
});
