/** Deletion on PostgreSQL: in slices, concurrent with other servers, and completed by another server after a crash. */
import { describe, expect, test } from 'bun:test';
import { archive } from '../../../../state/postgres/archive.ts';
import { checkpointArchive } from '../../../../state/postgres/checkpoints/checkpoint-archive.ts';
import { checkpointPruning } from '../../../../state/postgres/checkpoints/prune.ts';
import type { Database } from '../../../../state/postgres/database/database.ts';
import { LOCKS } from '../../../../state/postgres/database/locks.ts';
import { storedTurn } from '../../../contracts/turn.ts';
import { POSTGRES } from '../../../support/postgres-database.ts';
import { openThreads } from '../open-threads.ts';

type Opened = Awaited<ReturnType<typeof openThreads>>;

async function opened(use: (opened: Opened) => Promise<void>): Promise<void> {
  const one = await openThreads();
  try {
    await use(one);
  } finally {
    await one.close();
  }
}

/** Inserts several slices of rows into every table of a thread. */
async function fill(database: Database, threadKey: string, runId: string): Promise<void> {
  const [key, count] = [Number(threadKey), 2_500];
  await database.run(
    `INSERT INTO skein.events (run_id, first, last, chat_first, chat_last, thread, seq, created_at, body)
     SELECT $1, n, n, n, n, $2, n, 1, '[]' FROM generate_series(10, $3) AS n`,
    ...[runId, key, count],
  );
  await database.run(
    `INSERT INTO skein.messages (message_id, thread, run_id, workflow, role, content, status, created_at)
     SELECT $1 || n, $2, $1, 'w', 'user', 'x', 'complete', 1 FROM generate_series(1, $3) AS n`,
    ...[runId, key, count],
  );
  for (const [table, columns, values] of [
    ['checkpoint_values', 'ns, channel, version, value', "'', 'c', n, '1'"],
    ['checkpoint_elements', 'channel, seq, value', "'c', n, '1'"],
    ['checkpoint_writes', 'ns, id, task, writes', "'', 'i', n, '[]'"],
    ['checkpoint_deltas', 'ns, id, versions, writes', "'', n, '{}', '[]'"],
  ])
    await database.run(
      `INSERT INTO skein.${table} (thread, ${columns}) SELECT $1, ${values} FROM generate_series(1, $2) AS n`,
      ...[threadKey, 700],
    );
}

/** The number of rows of each table that is not empty. */
async function rowsIn(database: Database): Promise<Record<string, number>> {
  const tables = ['threads', 'runs', 'messages', 'events', 'idempotency', 'checkpoints'];
  const parts = ['values', 'elements', 'writes', 'deltas'].map((part) => `checkpoint_${part}`);
  const counts = await Promise.all(
    [...tables, ...parts].map(async (table) => {
      const row = await database.get<{ n: number }>(`SELECT count(*) AS n FROM skein.${table}`);
      return [table, row?.n ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The archive of another server. */
function otherServer(database: Database) {
  return archive({ database, checkpoints: checkpointPruning, reading: checkpointArchive(database) });
}

const ONE_TURN = { threads: 1, runs: 1, messages: 2, events: 1, checkpoints: 1, checkpoint_values: 1 };

describe.skipIf(POSTGRES === undefined)('on PostgreSQL', () => {
  test('deletes a thread with many rows completely, even if two servers delete it', () =>
    opened(async ({ database, state }) => {
      await storedTurn(state, { threadId: 'stays' });
      const { thread, run } = await storedTurn(state, { idempotencyKey: 'k' });
      await fill(database, thread.key, run.runId);
      const other = otherServer(database);
      await Promise.all([state.archive.removal.thread(thread.key), other.removal.thread(thread.key)]);
      expect(await rowsIn(database)).toEqual(ONE_TURN);
    }));

  test('only one of several servers expires a thread', () =>
    opened(async ({ database, state }) => {
      const { thread } = await storedTurn(state, { at: 1 });
      const servers = [state.archive, otherServer(database), otherServer(database)];
      const expired = await Promise.all(servers.map(({ removal }) => removal.expire(thread.key, 5)));
      expect(expired.filter(Boolean)).toEqual([true]);
      expect(await rowsIn(database)).toEqual({});
    }));

  test('a partially deleted thread is invisible, and another server completes its deletion', () =>
    opened(async ({ database, state }) => {
      const deleted = await storedTurn(state, { threadId: 'gone' });
      await fill(database, deleted.thread.key, deleted.run.runId);
      await storedTurn(state, { threadId: 'stays' });
      await database.run(
        `UPDATE skein.threads SET owner = '', thread_id = key::text WHERE thread_id = 'gone'`,
      );
      expect((await state.archive.runs({ owner: 'ann' }, { limit: 5 })).items.length).toBe(1);
      expect(await state.archive.size()).toMatchObject({ threads: 1, runs: 1 });
      await otherServer(database).removal.leftovers();
      expect(await rowsIn(database)).toEqual(ONE_TURN);
    }));

  test('a draft is discarded after ten minutes and can no longer be published', () =>
    opened(async ({ database, state }) => {
      const { head } = await storedTurn(state);
      const from = await state.archive.threads.find('ann', 't');
      const checkpoint = from && (await state.archive.checkpoints.find(from.key, head));
      if (!checkpoint) throw new Error('no checkpoint');
      const drafts = [0, 1].map(() => state.archive.forks.draft(from, checkpoint, 0));
      const [young, old] = await Promise.all(drafts);
      if (!young || !old) throw new Error('no draft');
      await database.run(
        'UPDATE skein.threads SET created_at = created_at - 600001 WHERE key = $1',
        Number(old.key),
      );
      await state.archive.removal.leftovers();
      const fork = {
        ...{
          threadId: 'fork',
          workflow: 'w',
          head,
          memory: from.memory,
          createdAt: 50,
          changed: [],
          added: [],
        },
      };
      expect(state.archive.forks.publish(from, old, fork)).rejects.toThrow('discarded');
      expect(await state.archive.forks.publish(from, young, fork)).toBe(true);
    }));

  test('only one server deletes remains at a time', () =>
    opened(async ({ database, state }) => {
      await storedTurn(state);
      await database.run(`UPDATE skein.threads SET owner = '', thread_id = key::text`);
      await database.transaction(async (tx) => {
        await tx.run(`SELECT pg_advisory_xact_lock(${LOCKS.leftovers})`);
        await state.archive.removal.leftovers();
        expect(await rowsIn(database)).toEqual(ONE_TURN);
      });
      await state.archive.removal.leftovers();
      expect(await rowsIn(database)).toEqual({});
    }));

  test('a thread does not expire while a run is accepted for it', () =>
    opened(async ({ database, state }) => {
      const { thread } = await storedTurn(state, { at: 1 });
      let expired: Promise<boolean> | undefined;
      await database.transaction(async (tx) => {
        await tx.get('SELECT 1 FROM skein.threads WHERE key = $1 FOR NO KEY UPDATE', Number(thread.key));
        expired = state.archive.removal.expire(thread.key, 5);
        await tx.run(
          `INSERT INTO skein.runs (run_id, thread, owner, message_id, workflow, status, request, protocol, supersedes,
             created_at) VALUES ('r', $1, 'ann', 'm', 'w', 'queued', '{}', 0, 0, 9)`,
          Number(thread.key),
        );
        await waiting(database);
      });
      expect(await expired).toBe(false);
    }));

  test('deletes many events in slices and keeps those of unfinished runs', () =>
    opened(async ({ database, state }) => {
      const { thread, run } = await storedTurn(state, { at: 10 });
      await fill(database, thread.key, run.runId);
      await database.run('UPDATE skein.events SET created_at = first');
      const busy = await storedTurn(state, { at: 5, ends: 'accepted' });
      await database.run(
        `INSERT INTO skein.events (run_id, first, last, chat_first, chat_last, thread, seq, created_at, body)
         VALUES ($1, 1, 1, 1, 1, $2, 9999, 5, '[]')`,
        ...[busy.run.runId, Number(thread.key)],
      );
      const places: (number | null)[] = [];
      for (let from: number | null = 0; from !== null; ) {
        from = await state.archive.removal.events(2_400, from);
        places.push(from);
      }
      expect(places.length).toBe(3);
      const left = await database.all('SELECT run_id, created_at FROM skein.events WHERE created_at < 2400');
      expect(left).toEqual([{ run_id: busy.run.runId, created_at: 5 }]);
      expect((await rowsIn(database)).events).toBe(102);
    }));

  test('measures sizes at most once a minute', () =>
    opened(async ({ state }) => {
      await storedTurn(state);
      const size = await state.archive.size();
      expect(size).toMatchObject({ threads: 1, runs: 1, logBytes: 0 });
      expect(size.stateBytes).toBeGreaterThan(100_000);
      await storedTurn(state);
      expect(await state.archive.size()).toEqual(size);
    }));
});

/** Resolves when a statement is waiting for a lock. */
async function waiting(database: Database): Promise<void> {
  while (!(await database.get('SELECT 1 FROM pg_locks WHERE NOT granted'))) await Bun.sleep(5);
}
