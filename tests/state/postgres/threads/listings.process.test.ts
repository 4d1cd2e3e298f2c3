/** Listings use an index even if an owner has many threads: no page sorts or scans rows that it does not return. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { badAnswers } from '../../../../state/driver/bad-answers.ts';
import { MAX_SCANNED_RUNS } from '../../../../state/driver/run-bounds.ts';
import type { Database, Value } from '../../../../state/postgres/database/database.ts';
import { deleteOwned } from '../../../../state/postgres/erasure.ts';
import { DIALECT } from '../../../../state/postgres/feedback.ts';
import { unfinished } from '../../../../state/postgres/runs/functions/write.ts';
import { runFloor, runListing } from '../../../../state/postgres/threads/listings.ts';
import {
  EXPIRED,
  IDLE,
  OLD_EVENTS,
  TAKE_LEFTOVER,
} from '../../../../state/postgres/threads/removal-statements.ts';
import { listing } from '../../../../state/postgres/threads/threads.ts';
import { POSTGRES } from '../../../support/postgres-database.ts';
import { openThreads } from '../open-threads.ts';

const THREADS = 30_000;

describe.skipIf(POSTGRES === undefined)('on PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof openThreads>>;
  let database: Database;

  beforeAll(async () => {
    opened = await openThreads();
    database = opened.database;
    await database.run(
      `INSERT INTO skein.threads (owner, thread_id, title, workflow, failed, interrupt, ttl, ttl_strategy, ttl_since,
         created_at, updated_at)
       SELECT 'ann', n::text, '', 'w' || n % 20, (n % 500 = 0)::int, CASE WHEN n % 500 = 1 THEN '{}' END,
         n * 1000, 'delete', n, n, n FROM generate_series(1, $1) AS n`,
      THREADS,
    );
    await database.run(
      `INSERT INTO skein.runs (run_id, thread, owner, message_id, workflow, status, request, protocol, supersedes,
         created_at, finished_at)
       SELECT n::text, n, 'ann', n::text, 'w' || n % 20, CASE WHEN n % 900 = 0 THEN 'queued' WHEN n % 900 = 1 THEN 'running'
         WHEN n % 300 = 2 THEN 'failed' ELSE 'succeeded' END, '{}', 0, 0, n, CASE WHEN n % 900 > 1 THEN n END
       FROM generate_series(1, $1) AS n`,
      THREADS,
    );
    await database.run(
      `INSERT INTO skein.events (run_id, first, last, chat_first, chat_last, thread, seq, created_at, body)
       SELECT n::text, 1, 1, 1, 1, n, 1, n, '[]' FROM generate_series(1, $1) AS n`,
      THREADS,
    );
    await database.run(
      `INSERT INTO skein.messages (message_id, thread, run_id, workflow, role, content, status, created_at)
       SELECT n::text, n, n::text, 'w', 'assistant', '', 'complete', n FROM generate_series(1, $1) AS n`,
      THREADS,
    );
    await database.run(
      `INSERT INTO skein.feedback (message_id, body) SELECT n::text, json_build_object('positive_feedback', n % 400 <> 1,
         'rating', CASE WHEN n % 400 <> 2 THEN 3 ELSE 2 END) FROM generate_series(1, $1) AS n`,
      THREADS,
    );
    await database.run(
      `INSERT INTO skein.items (owner, namespace, key, value, created_at, updated_at)
       SELECT 'ann', 'n', n::text, '{}', 0, 0 FROM generate_series(1, $1) AS n`,
      THREADS,
    );
    for (const table of ['threads', 'runs', 'events', 'messages', 'feedback', 'items'])
      await database.run(`ANALYZE skein.${table}`);
  }, 60_000);
  afterAll(() => opened.close());

  /** The indexes that a statement used, and the maximum number of rows that it read of a table. */
  async function plan({ text, values }: { text: string; values: Value[] }) {
    const rows = await database.all<{ 'QUERY PLAN': unknown }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      ...values,
    );
    const [plans] = rows.map((row) => row['QUERY PLAN']) as [[{ Plan: PlanNode }]];
    const nodes = nodesOf(plans[0].Plan);
    return {
      indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
      sorts: nodes.some((node) => node['Node Type'] === 'Sort'),
      read: Math.max(
        ...nodes.filter(isScan).map((node) => (node['Actual Rows'] + removed(node)) * node['Actual Loops']),
      ),
    };
  }

  test.each([
    [{}, 'threads_by_activity'],
    [{ workflow: 'w1' }, 'threads_by_workflow'],
    [{ status: 'idle' }, 'threads_by_activity'],
    [{ status: 'idle', workflow: 'w1' }, 'threads_by_workflow'],
    [{ status: 'error' }, 'threads_failed'],
    [{ status: 'interrupted' }, 'threads_interrupted'],
  ] as const)('threads %o are read with the index %s', async (filter, index) => {
    for (const place of [undefined, [20_000, 1] as [number, number]]) {
      const { indexes, sorts, read } = await plan(listing({ owner: 'ann', ...filter }, 20, place));
      expect(indexes).toContain(index);
      expect(sorts).toBe(false);
      expect(read).toBeLessThan(100);
    }
  });

  test('finds busy threads by their unfinished runs', async () => {
    const { indexes, read } = await plan(listing({ owner: 'ann', status: 'busy' }, 20, undefined));
    expect(indexes).toContain('threads_pkey');
    expect(read).toBeLessThan(100);
  });

  test.each([
    [{}, 'runs_by_owner'],
    [{ workflow: 'w1' }, 'runs_by_owner_workflow'],
    [{ thread: '77' }, 'runs_by_thread'],
    [{ status: 'failed' }, 'runs_not_succeeded'],
    [{ status: 'queued' }, 'runs_queued'],
  ] as const)('runs %o are read with the index %s', async (filter, index) => {
    for (const after of [undefined, '20000']) {
      const { indexes, read } = await plan(runListing({ owner: 'ann', ...filter }, 20, after));
      expect(indexes).toContain(index);
      expect(read).toBeLessThan(150);
    }
  });

  test.each([
    [{ minTokens: 1 }, 'runs_by_owner'],
    [{ minDurationMs: 1, from: 1 }, 'runs_by_owner'],
    [{ errorCode: 'NONE', status: 'failed' }, 'runs_not_succeeded'],
    [{ prompt: { filename: 'none.jinja', version: 1 } }, 'runs_by_owner'],
    [{ feedback: 'positive' }, 'runs_by_owner'],
  ] as const)('a page of runs filtered by %o scans a limited number of runs', async (filter, index) => {
    const of = { owner: 'ann', ...filter };
    const floor = await plan(runFloor(of, undefined));
    expect(floor.indexes).toContain(index);
    expect(floor.read).toBeLessThanOrEqual(MAX_SCANNED_RUNS + 1);
    const [last] = await database.all<{ run_id: string; seq: number }>(
      "SELECT run_id, seq FROM skein.runs WHERE owner = 'ann' ORDER BY seq DESC LIMIT 1 OFFSET 1999",
    );
    const { read } = await plan(runListing(of, 20, undefined, last));
    expect(read).toBeLessThanOrEqual(MAX_SCANNED_RUNS + 1);
  });

  test('listings of all owners use an index', async () => {
    for (const place of [undefined, [20_000, 1] as [number, number]]) {
      const { indexes, read } = await plan(listing({ owner: null }, 20, place));
      expect(indexes).toContain('threads_by_age');
      expect(read).toBeLessThan(150);
    }
    for (const after of [undefined, '20000']) {
      const { indexes, read } = await plan(runListing({ owner: null }, 20, after));
      expect(indexes).toContain('runs_pkey');
      expect(read).toBeLessThan(150);
    }
  });

  test.each([
    [EXPIRED, 'threads_expiring', [60_000, 20]],
    [IDLE, 'threads_by_age', [1_000, 20]],
    [OLD_EVENTS, 'events_by_time', [0, 1_000, 50]],
  ] as const)('expired data is found with an index: %#', async (text, index, values) => {
    const { indexes, read } = await plan({ text, values: [...values] });
    expect(indexes).toContain(index);
    expect(read).toBeLessThan(150);
  });

  test('finds bad answers without reading other feedback', async () => {
    const names = { owner: '$1', after: undefined, limit: '$2' };
    for (const reviewed of [false, true]) {
      const text = badAnswers(DIALECT, { reviewed }, names);
      const { indexes, read } = await plan({ text, values: ['ann', 20] });
      expect(indexes).toContain('feedback_bad');
      expect(read).toBeLessThanOrEqual(150);
    }
  });

  test('deletes items of a caller without reading the others', async () => {
    const { read } = await plan({ text: deleteOwned('items', 'seq'), values: ['ann'] });
    expect(read).toBeLessThanOrEqual(1_000);
  });

  test('finds the remains of a removal without reading other threads', async () => {
    expect((await plan({ text: TAKE_LEFTOVER, values: [] })).read).toBeLessThan(10);
  });

  // The last test, because it ends all runs.
  test('finds the run of a lease by its id, not in an index of unfinished runs', async () => {
    await database.run('UPDATE skein.runs SET finished_at = 1 WHERE finished_at IS NULL');
    await database.run('VACUUM ANALYZE skein.runs');
    const text = `SELECT FROM skein.runs AS r WHERE ${unfinished('$1', '$2::int')}`;
    expect((await plan({ text, values: ['900', 0] })).indexes).toEqual(['runs_pkey']);
  });
});

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const isScan = (node: PlanNode) => node['Relation Name'] !== undefined;
const removed = (node: PlanNode) => node['Rows Removed by Filter'] ?? 0;
