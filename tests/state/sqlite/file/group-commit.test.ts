import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
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

test('a write resolves with its result after the commit', async () => {
  const { commit } = opened();
  expect(await commit.write('a', () => 'given')).toBe('given');
  expect(commit.commits()).toBe(1);
});

test('a deferred write joins the next transaction, in order', async () => {
  const { commit, insert, rows } = opened();
  const order: string[] = [];
  commit.defer('a', () => order.push('deferred'));
  await commit.write('b', () => order.push('written'));
  await commit.write('b', insert(1));
  expect(order).toEqual(['deferred', 'written']);
  expect(rows()).toEqual([1]);
  expect(commit.commits()).toBe(2);
});

test('a deferred write is committed alone if no other write follows', async () => {
  const { commit, insert, rows } = opened();
  await commit.defer('a', insert(1));
  expect(rows()).toEqual([1]);
});

test('if a write throws, its unit is rolled back and others are committed', async () => {
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

test('flush commits immediately, so that a read sees queued writes', () => {
  const { commit, insert, rows } = opened();
  commit.defer('a', insert(1));
  commit.write('a', insert(2));
  commit.flush();
  expect(rows()).toEqual([1, 2]);
});

test('a write resolves after a sync that started after its commit, and writes during a sync share the next one', async () => {
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

test('a commit shares the sync of the next durable write', async () => {
  let syncs = 0;
  const { commit, insert, rows } = opened(async () => {
    syncs++;
  });
  await commit.commit('a', insert(1));
  expect([rows(), syncs]).toEqual([[1], 0]);
  await commit.write('a', insert(2));
  expect([rows(), syncs]).toEqual([[1, 2], 1]);
});

test('a commit is synced shortly after without another write', async () => {
  const synced = Promise.withResolvers<void>();
  const { commit, insert } = opened(async () => synced.resolve());
  await commit.commit('a', insert(1));
  await synced.promise;
});

test('a failed sync rejects the writes that wait for it', async () => {
  const { commit, insert } = opened(() => Promise.reject(new Error('disk')));
  expect(commit.write('a', insert(1))).rejects.toThrow('disk');
});

test('reports the error of the newest write until one succeeds', async () => {
  const { commit, insert } = opened();
  await commit.write('a', insert(1));
  expect(commit.failure()).toBeUndefined();
  await commit.write('a', insert(1)).catch(() => {});
  expect(commit.failure()).toBe('SQLITE_CONSTRAINT_PRIMARYKEY');
  await commit.write('a', insert(2));
  expect(commit.failure()).toBeUndefined();
});
