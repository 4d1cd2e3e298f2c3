/** Listings use an index: no page sorts or scans rows that it does not return. */
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { MAX_SCANNED_RUNS } from '../../../../state/driver/run-bounds.ts';
import type { GroupCommit } from '../../../../state/sqlite/file/group-commit.ts';
import { migrate } from '../../../../state/sqlite/file/schema.ts';
import { listings, runListing } from '../../../../state/sqlite/threads/listings.ts';
import { removalStatements } from '../../../../state/sqlite/threads/removal-statements.ts';
import { listing } from '../../../../state/sqlite/threads/threads.ts';
import type { RunStatus } from '../../../../state/threads/runs.ts';

const db = new Database(':memory:');
migrate(db);

/** The query plan of the outer table, and whether SQLite sorts. */
function plan(sql: string): { reads: string; sorts: boolean } {
  const steps = db.query<{ detail: string }, SQLQueryBindings[]>(`EXPLAIN QUERY PLAN ${sql}`).all();
  const details = steps.map(({ detail }) => detail);
  expect(details.filter((detail) => /^SCAN (t|r)\b/.test(detail))).toEqual([]);
  return { reads: details[0] ?? '', sorts: details.some((detail) => detail.includes('TEMP B-TREE')) };
}

test.each([
  [{}, 'threads_by_activity'],
  [{ workflow: 'w' }, 'threads_by_workflow'],
  [{ status: 'idle' }, 'threads_by_activity'],
  [{ status: 'idle', workflow: 'w' }, 'threads_by_workflow'],
  [{ status: 'error' }, 'threads_failed'],
  [{ status: 'interrupted' }, 'threads_interrupted'],
] as const)('threads %o are read with the index %s', (filter, index) => {
  for (const after of [false, true]) {
    const { reads, sorts } = plan(listing({ owner: 'ann', ...filter }, after));
    expect(reads).toStartWith(`SEARCH t USING INDEX ${index} (owner=?`);
    expect(sorts).toBe(false);
  }
});

test('finds busy threads by their unfinished runs', () => {
  const { reads } = plan(listing({ owner: 'ann', status: 'busy' }, true));
  expect(reads).toBe('SEARCH t USING INTEGER PRIMARY KEY (rowid=?)');
});

test.each([
  [{}, 'runs_by_owner'],
  [{ workflow: 'w' }, 'runs_by_owner_workflow'],
  [{ thread: '1' }, 'runs_by_thread'],
  [{ status: 'failed' }, 'runs_not_succeeded'],
  [{ status: 'cancelled', workflow: 'w' }, 'runs_not_succeeded'],
] as const)('runs %o are read with the index %s', (filter, index) => {
  for (const after of [undefined, 'x']) {
    const { sql } = runListing({ owner: 'ann', ...filter }, after);
    const { reads, sorts } = plan(sql);
    expect(reads).toMatch(new RegExp(`^SEARCH r USING INDEX ${index} `));
    expect(sorts).toBe(false);
  }
});

test.each([
  [{ from: 1 }, 'runs_by_owner'],
  [{ until: 1, workflow: 'w' }, 'runs_by_owner_workflow'],
  [{ minTokens: 1 }, 'runs_by_owner'],
  [{ feedback: 'negative', status: 'failed' }, 'runs_not_succeeded'],
] as const)('runs filtered by %o are read with the index %s', (filter, index) => {
  const { reads, sorts } = plan(runListing({ owner: 'ann', ...filter }, 'x', 5).sql);
  expect(reads).toMatch(new RegExp(`^SEARCH r USING INDEX ${index} `));
  expect(sorts).toBe(false);
});

test('a page scans a limited number of runs, and its cursor leads to the others, each run once', async () => {
  const many = new Database(':memory:');
  migrate(many);
  const total = 2 * MAX_SCANNED_RUNS + 10;
  many.run(
    "INSERT INTO threads (key, owner, thread_id, workflow, created_at, updated_at) VALUES (1, 'ann', 't', 'w', 1, 1)",
  );
  many.run(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${total})
     INSERT INTO runs (run_id, thread, message_id, workflow, status, request, created_at, started_at, finished_at,
       input_tokens, owner)
     SELECT printf('%06d', n), 1, n, 'w', 'succeeded', '{}', n, n, n, n, CASE WHEN n % 2 THEN 'ann' ELSE 'bob' END FROM n`,
  );
  const { runs } = listings(many, { flush() {} } as GroupCommit);
  for (const owner of ['ann', null]) {
    const found: (number | string)[][] = [];
    let after: [string] | undefined;
    do {
      const { items, next } = await runs({ owner, minTokens: 1 }, { limit: 100, after });
      found.push(items.map(({ runId }) => runId));
      after = next === null ? undefined : [String(next[0])];
    } while (after);
    const all = found.flat();
    const expected = owner === null ? total : total / 2;
    expect([all.length, new Set(all).size]).toEqual([expected, expected]);
  }
  const rare: number[] = [];
  let after: [string] | undefined;
  do {
    const { items, next } = await runs({ owner: 'ann', errorCode: 'NONE' }, { limit: 100, after });
    rare.push(items.length);
    after = next === null ? undefined : [String(next[0])];
  } while (after);
  expect(rare).toEqual([0, 0]);
  many.close();
});

test.each(['queued', 'running'] satisfies RunStatus[])(
  '%s runs are read from the few unfinished',
  (status) => {
    const { sql } = runListing({ owner: 'ann', status }, undefined);
    const steps = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(steps[0]?.detail).toBe('SCAN r USING INDEX runs_unfinished');
  },
);

test('listings of all owners use an index and do not sort', () => {
  const steps = (sql: string) =>
    db
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail);
  for (const filter of [{}, { workflow: 'w' }]) {
    const threads = steps(listing({ owner: null, ...filter }, true));
    expect(threads[0]).toMatch(/^S(CAN|EARCH) t USING INDEX threads_by_age/);
    const runs = steps(runListing({ owner: null, ...filter }, 'x').sql);
    expect(runs[0]).toMatch(/^S(CAN r|EARCH r USING INTEGER PRIMARY KEY)/);
    expect([...threads, ...runs].join()).not.toContain('TEMP B-TREE');
  }
});

test('finds expired threads with their index', () => {
  const { reads, sorts } = plan(removalStatements(db).expired.toString());
  expect(reads).toContain('threads_expiring');
  expect(sorts).toBe(false);
});
