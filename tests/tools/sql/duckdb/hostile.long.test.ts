/** Hostile statements against a real engine: each is rejected or stopped, and leaves no traces. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDuckDb } from '../../../../tools/sql/duckdb/open.ts';
import { type SqlEngine, SqlError } from '../../../../tools/sql/engine.ts';
import { type Database, makeDatabase } from '../database.ts';
import { BOUNDED, REFUSED, REFUSED_IN_FORMS } from '../hostile-statements.ts';
import { tracesOf } from '../traces.ts';

let database: Database;
let engine: SqlEngine;

beforeAll(async () => {
  database = await makeDatabase();
  writeFileSync(join(database.folder, 'secret.csv'), 'a,b\n1,top secret\n');
  engine = openDuckDb({ path: database.path, querySeconds: 1 });
});

afterAll(async () => {
  await engine.close();
  database.remove();
});

const fill = (sql: string) => sql.replaceAll('$DB', database.path).replaceAll('$FOLDER', database.folder);

test('there are at least 80 hostile statements', () => {
  expect(Object.values(REFUSED).flat().length).toBeGreaterThan(150);
});

test.each([...Object.entries(REFUSED), ...Object.entries(REFUSED_IN_FORMS)])(
  '%s: rejected, with a reason and without a path',
  async (rule, statements) => {
    const before = tracesOf(database);
    for (const statement of statements) {
      const failure = await engine.query(fill(statement)).catch((error) => error);
      const shown = statement.slice(0, 100);
      expect([shown, failure instanceof SqlError, failure.kind, failure.rule]).toEqual([
        shown,
        true,
        'refused',
        rule,
      ]);
      expect(failure.reason.length).toBeWithin(10, 700);
      if (!statement.includes('$')) expect(failure.reason).not.toContain(database.folder);
      expect(await engine.check(fill(statement))).toMatchObject({ ok: false, rule });
    }
    expect(tracesOf(database)).toEqual(before);
  },
);

test('a memory bomb or an endless join is stopped, and the next statement is answered', async () => {
  const before = tracesOf(database);
  for (const statement of BOUNDED) {
    const started = performance.now();
    const failure = await engine.query(statement).catch((error) => error);
    const shown = statement.slice(0, 60);
    expect([shown, failure instanceof SqlError]).toEqual([shown, true]);
    expect(['timeout', 'limit']).toContain(failure.kind);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect((await engine.query('SELECT count(*) AS n FROM orders')).rows).toEqual([{ n: 1000 }]);
  }
  expect(tracesOf(database)).toEqual(before);
}, 120_000);
