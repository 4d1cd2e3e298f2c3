import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupCommit } from '../../../../state/sqlite/file/group-commit.ts';

function opened(sync = async () => {}) {
  const db = new Database(':memory:');
  db.run('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  const insert = (n: number) => () => void db.query('INSERT INTO t VALUES (?)').run(n);
  const rows = () =>
    db
      .query<{ n: number }, []>('SELECT n FROM t ORDER BY n')
      .all()
      .map(({ n }) => n);
  return { commit: groupCommit(db, sync), insert, rows };
}

test('writes of one turn of the event loop share a transaction', async () => {
  const { commit, insert, rows } = opened();
  await Promise.all([
    commit.write('a', insert(1)),
    commit.write('b', insert(2)),
    commit.write('a', insert(3)),
  ]);
  expect(rows()).toEqual([1, 2, 3]);
  expect(commit.commits()).toBe(1);
});

test('a write resolves with what it gave, after the commit', async () => {
  const { commit } = opened();
  expect(await commit.write('a', () => 'given')).toBe('given');
  expect(commit.commits()).toBe(1);
});

test('a deferred write rides along with the next one, in order', async () => {
  const { commit, insert, rows } = opened();
  const order: string[] = [];
  commit.defer('a', () => order.push('deferred'));
  await commit.write('b', () => order.push('written'));
  await commit.write('b', insert(1));
  expect(order).toEqual(['deferred', 'written']);
  expect(rows()).toEqual([1]);
  expect(commit.commits()).toBe(2);
});

test('a deferred write that stays alone is committed by itself', async () => {
  const { commit, insert, rows } = opened();
  await commit.defer('a', insert(1));
  expect(rows()).toEqual([1]);
});

test('where one work throws, its unit is undone whole and the others stand', async () => {
  const { commit, insert, rows } = opened();
  const results = await Promise.allSettled([
    commit.write('good', insert(1)),
    commit.write('bad', insert(2)),
    commit.write('bad', () => {
      throw new Error('no');
    }),
    commit.write('good', insert(3)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(rows()).toEqual([1, 3]);
});

test('flush commits at once, so that a read sees what was queued', () => {
  const { commit, insert, rows } = opened();
  commit.defer('a', insert(1));
  commit.write('a', insert(2));
  commit.flush();
  expect(rows()).toEqual([1, 2]);
});

test('a write resolves after a sync that began after its commit, and writes meanwhile share the next one', async () => {
  const syncs: PromiseWithResolvers<void>[] = [];
  const { commit, insert } = opened(() => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  });
  const done: number[] = [];
  const write = (n: number) => commit.write('a', insert(n)).then(() => done.push(n));
  const first = write(1);
  commit.flush();
  const [second, third] = [write(2), write(3)];
  commit.flush();
  await Promise.resolve();
  expect([syncs.length, done]).toEqual([1, []]);
  syncs[0]?.resolve();
  await first;
  expect([syncs.length, done]).toEqual([2, [1]]);
  syncs[1]?.resolve();
  await Promise.all([second, third]);
  expect(done).toEqual([1, 2, 3]);
});

test('what is only committed shares the sync of the next durable write', async () => {
  let syncs = 0;
  const { commit, insert, rows } = opened(async () => {
    syncs++;
  });
  await commit.commit('a', insert(1));
  expect([rows(), syncs]).toEqual([[1], 0]);
  await commit.write('a', insert(2));
  expect([rows(), syncs]).toEqual([[1, 2], 1]);
});

test('what is only committed is synced a moment later without another write', async () => {
  const synced = Promise.withResolvers<void>();
  const { commit, insert } = opened(async () => synced.resolve());
  await commit.commit('a', insert(1));
  await synced.promise;
});

test('a sync that fails fails the writes that wait for it', async () => {
  const { commit, insert } = opened(() => Promise.reject(new Error('disk')));
  expect(commit.write('a', insert(1))).rejects.toThrow('disk');
});

test('it tells what the database said to the newest write, until one succeeds', async () => {
  const { commit, insert } = opened();
  await commit.write('a', insert(1));
  expect(commit.failure()).toBeUndefined();
  await commit.write('a', insert(1)).catch(() => {});
  expect(commit.failure()).toBe('SQLITE_CONSTRAINT_PRIMARYKEY');
  await commit.write('a', insert(2));
  expect(commit.failure()).toBeUndefined();
});

test('while somebody is waited for who holds the file, a write is not given up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-commit-'));
  const path = join(folder, 'held.db');
  const [db, other] = [new Database(path, { create: true }), new Database(path)];
  db.run('PRAGMA journal_mode = WAL');
  db.run('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  const commit = groupCommit(db, async () => {});
  let written: Promise<unknown> | undefined;
  await commit.waitingFor(async () => {
    other.run('BEGIN IMMEDIATE');
    written = commit.write('a', () => void db.run('INSERT INTO t VALUES (1)'));
    // Longer than a write waits for a stranger.
    await Bun.sleep(5_300);
    other.run('ROLLBACK');
  });
  await written;
  expect(db.query('SELECT n FROM t').all()).toEqual([{ n: 1 }]);
  other.close();
  db.close();
  rmSync(folder, { recursive: true });
}, 60_000);
