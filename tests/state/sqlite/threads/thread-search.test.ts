/** Searches of more threads than one slice has. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import type { StoredThread, ThreadSearch } from '../../../../state/threads/archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-thread-search-'));
const path = join(folder, 'state.db');
const THREADS = 12_345;
let state: ReturnType<typeof openSqlite>;
let all: StoredThread[];

beforeAll(async () => {
  await openSqlite({ path, checkpointsPerThread: 20 }).close();
  const db = new Database(path);
  // Many threads have the same times. Every hundredth is temporary.
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${THREADS})
    INSERT INTO threads (owner, thread_id, title, workflow, metadata, created_at, updated_at, failed, temporary)
    SELECT 'ann', printf('%05d', i * 7919 % 100003), '', 'w' || (i % 3), json_object('n', i), i * 31 % 977,
      i * 17 % 4999, i % 500 = 0, i % 100 = 1 FROM n`);
  db.run(
    `INSERT INTO threads (owner, thread_id, title, workflow, created_at, updated_at) VALUES ('bob', 'x', '', '', 1, 1)`,
  );
  db.close();
  state = openSqlite({ path, checkpointsPerThread: 20 });
  all = await state.archive.threads.search({ ...FIRST, limit: THREADS });
});

afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const FIRST: ThreadSearch = { owner: 'ann', sortBy: 'created_at', descending: false, limit: 10, offset: 0 };
const VALUES = {
  created_at: ({ createdAt }: StoredThread) => createdAt,
  updated_at: ({ updatedAt }: StoredThread) => updatedAt,
  thread_id: ({ threadId }: StoredThread) => threadId,
  status: ({ status }: StoredThread) => status,
};

/** The expected threads. Equal ones are in the order of their keys, those with the same status in the order of creation. */
function expected({ sortBy, descending, limit, offset, workflow, metadata }: ThreadSearch): string[] {
  const value = VALUES[sortBy];
  const places = (thread: StoredThread) => [
    value(thread),
    sortBy === 'status' ? thread.createdAt : 0,
    thread.key,
  ];
  const compared = (a: StoredThread, b: StoredThread) => {
    const [left, right] = [places(a), places(b)];
    const place = left.findIndex((one, index) => one !== right[index]);
    const isLess = (left[place] ?? 0) < (right[place] ?? 0);
    return place === -1 ? 0 : isLess === descending ? 1 : -1;
  };
  return all
    .filter((thread) => workflow === undefined || thread.workflow === workflow)
    .filter((thread) => metadata === undefined || thread.metadata.n === metadata.n)
    .toSorted(compared)
    .slice(offset, offset + limit)
    .map(({ threadId }) => threadId);
}

test.each(['created_at', 'updated_at', 'thread_id', 'status'] as const)('pages by %s', async (sortBy) => {
  expect(all).toHaveLength(THREADS - Math.ceil(THREADS / 100));
  for (const descending of [false, true])
    for (const offset of [0, 4_995, 5_000, 9_993, 12_210, 12_300])
      for (const filter of [{}, { workflow: 'w1' }, { metadata: { n: 7_777 } }]) {
        const search = { ...FIRST, ...filter, sortBy, descending, offset };
        const found = await state.archive.threads.search(search);
        expect(found.map(({ threadId }) => threadId)).toEqual(expected(search));
      }
});

test('counts all threads, or stops at a number', async () => {
  const { threads } = state.archive;
  const { owner } = FIRST;
  expect(await threads.count({ owner })).toBe(all.length);
  expect(await threads.count({ owner }, 7_000)).toBe(7_000);
  expect(await threads.count({ owner, workflow: 'w2' })).toBe(
    expected({ ...FIRST, workflow: 'w2', limit: THREADS }).length,
  );
  expect(await threads.count({ owner, status: 'error' })).toBe(24);
  expect(await threads.count({ owner, status: 'error' }, 5)).toBe(5);
  expect(await threads.count({ owner, status: 'idle' })).toBe(all.length - 24);
  expect(await threads.count({ owner, metadata: { n: 7_777 } })).toBe(1);
});

test('searches that read all threads let other work run', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const search = () => state.archive.threads.search({ ...FIRST, metadata: { n: 0 } });
  const found = await Promise.all(Array.from({ length: 10 }, search));
  expect(found.flat()).toEqual([]);
  clearInterval(timer);
  expect(turns).toBeGreaterThanOrEqual(2);
});
