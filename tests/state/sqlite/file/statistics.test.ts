/** Query plans of a file that was small when its statistics were collected. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistantSearch } from '../../../../state/sqlite/assistants/assistant-search.ts';
import { checkpointArchive } from '../../../../state/sqlite/checkpoints/list.ts';
import { groupCommit } from '../../../../state/sqlite/file/group-commit.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { forkStatements } from '../../../../state/sqlite/threads/fork-statements.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-statistics-'));
const path = join(folder, 'state.db');
let state: ReturnType<typeof openSqlite>;
let db: Database;

beforeAll(async () => {
  const open = () => openSqlite({ path, checkpointsPerThread: 20 });
  await open().close();
  const early = new Database(path);
  early.run(`INSERT INTO assistants VALUES (1, 'ann', 'a', 1, 1, 1)`);
  early.run(`INSERT INTO assistant_versions VALUES (1, 1, 'w', 'A', 'a', NULL, '{}', '{}', '{}', 1)`);
  early.run(
    `INSERT INTO checkpoint_values VALUES ('1', '', 'a', 1, '1', NULL), ('1', '', 'b', 1, '1', NULL)`,
  );
  early.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO usage SELECT 'ann', i, 'w', 'm', 0, 1, 1, 1, 1 FROM n`);
  early.run('ANALYZE');
  early.close();
  state = open();
  db = new Database(path);
});

afterAll(async () => {
  db.close();
  await state.close();
  rmSync(folder, { recursive: true });
});

/** The plans of all statements that `prepare` prepares and that read `table`. */
function plansOf(prepare: (db: Database) => unknown, table: string): string[][] {
  const texts: string[] = [];
  const query = (text: string) => {
    texts.push(text);
    return db.query(text);
  };
  prepare(new Proxy(db, { get: (_, name) => (name === 'query' ? query : Reflect.get(db, name)) }));
  const reading = texts.filter((text) => text.includes(`${table} AS v`));
  return reading.map((text) =>
    (db.query(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((detail) => / v( |$)/.test(detail)),
  );
}

test('opening a file drops the statistics of small tables only', () => {
  const tables = db.query('SELECT DISTINCT tbl FROM sqlite_stat1').all();
  expect(tables).toEqual([{ tbl: 'usage' }]);
});

test('a search of assistants looks up the version of each assistant', () => {
  const search = {
    owner: 'ann',
    others: [],
    sortBy: 'name',
    descending: true,
    limit: 10,
    offset: 0,
  } as const;
  const plans = plansOf((db) => assistantSearch(db, { ...search, others: [] }), 'assistant_versions');
  expect(plans).toHaveLength(2);
  for (const plan of plans)
    expect(plan).toEqual([
      'SEARCH v USING INDEX sqlite_autoindex_assistant_versions_1 (assistant=? AND version=?)',
    ]);
});

test('a list of checkpoints looks up the values that it needs', () => {
  const commit = groupCommit(db, () => Promise.resolve());
  const plans = plansOf((db) => checkpointArchive(db, commit), 'checkpoint_values');
  expect(plans).toEqual([[BY_VERSION]]);
});

test('a fork looks up the values that it copies', () => {
  const [values] = plansOf(forkStatements, 'checkpoint_values');
  expect([...new Set(values)]).toEqual([BY_VERSION]);
});

const BY_VERSION =
  'SEARCH v USING INDEX sqlite_autoindex_checkpoint_values_1 (thread=? AND ns=? AND channel=? AND version=?)';
