/** Lists walk an index: no page sorts or searches through what it does not show. */
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import type { RunStatus } from '../../../../state/runs.ts';
import { migrate } from '../../../../state/sqlite/file/schema.ts';
import { runListing } from '../../../../state/sqlite/threads/listings.ts';
import { removalStatements } from '../../../../state/sqlite/threads/removal-statements.ts';
import { listing } from '../../../../state/sqlite/threads/threads.ts';

const db = new Database(':memory:');
migrate(db);

/** How SQLite reads the outer table, and whether it sorts. */
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
] as const)('threads %o are read along %s', (filter, index) => {
  for (const after of [false, true]) {
    const { reads, sorts } = plan(listing({ owner: 'ann', ...filter }, after));
    expect(reads).toStartWith(`SEARCH t USING INDEX ${index} (owner=?`);
    expect(sorts).toBe(false);
  }
});

test('busy threads are found from the unfinished runs', () => {
  const { reads } = plan(listing({ owner: 'ann', status: 'busy' }, true));
  expect(reads).toBe('SEARCH t USING INTEGER PRIMARY KEY (rowid=?)');
});

test.each([
  [{}, 'runs_by_owner'],
  [{ workflow: 'w' }, 'runs_by_owner_workflow'],
  [{ thread: '1' }, 'runs_by_thread'],
  [{ status: 'failed' }, 'runs_not_succeeded'],
  [{ status: 'cancelled', workflow: 'w' }, 'runs_not_succeeded'],
] as const)('runs %o are read along %s', (filter, index) => {
  for (const after of [undefined, 'x']) {
    const { sql } = runListing({ owner: 'ann', ...filter }, after);
    const { reads, sorts } = plan(sql);
    expect(reads).toMatch(new RegExp(`^SEARCH r USING INDEX ${index} `));
    expect(sorts).toBe(false);
  }
});

test.each(['queued', 'running'] satisfies RunStatus[])(
  '%s runs are read from the few unfinished',
  (status) => {
    const { sql } = runListing({ owner: 'ann', status }, undefined);
    const steps = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(steps[0]?.detail).toBe('SCAN r USING INDEX runs_unfinished');
  },
);

test('lists of everybody are read in their order, nothing is sorted', () => {
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

test('threads whose time is over are found along their index', () => {
  const { reads, sorts } = plan(removalStatements(db).expired.toString());
  expect(reads).toContain('threads_expiring');
  expect(sorts).toBe(false);
});
