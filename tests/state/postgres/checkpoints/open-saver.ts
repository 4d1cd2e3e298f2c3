/** Savers on a new PostgreSQL database. */
import type { SavedRun } from '../../../../state/checkpoints/checkpoints.ts';
import { checkpointArchive } from '../../../../state/postgres/checkpoints/checkpoint-archive.ts';
import { checkpointPruning } from '../../../../state/postgres/checkpoints/prune.ts';
import { PostgresSaver } from '../../../../state/postgres/checkpoints/saver.ts';
import { openDatabase } from '../../../../state/postgres/database/database.ts';
import { migrate } from '../../../../state/postgres/database/migrate.ts';
import { writeQueue } from '../../../../state/postgres/runs/write-queue.ts';
import { leased, type OpenedSavers } from '../../../contracts/checkpoints/opened-savers.ts';
import { freshDatabase, type TestDatabase } from '../../../support/postgres-database.ts';

/** Opens `given`, the database of an earlier call, or a new one. */
export async function openSaver(given?: TestDatabase): Promise<OpenedSavers> {
  const fresh = given ?? (await freshDatabase());
  const database = openDatabase({ url: fresh.url, size: 4, timeoutMs: 10_000 });
  await migrate(database);
  const server = Bun.randomUUIDv7();
  await database.get('SELECT skein.join_v1($1, 600)', server);
  const queue = writeQueue({ database, server: () => server, retryForMs: 0, lost: () => {} });
  const saver = new PostgresSaver({ database, queue });
  const writer = async (thread: string, emit: SavedRun['emit'] = () => {}) => {
    const runId = Bun.randomUUIDv7();
    await database.run(
      `WITH made AS (
         INSERT INTO skein.threads (owner, thread_id, workflow, created_at, updated_at) VALUES ('ann', $2, 'w', 1, 1)
         ON CONFLICT (owner, thread_id) DO UPDATE SET updated_at = 1 RETURNING key)
       INSERT INTO skein.runs (run_id, thread, owner, message_id, workflow, status, request, protocol, supersedes,
         created_at, lease, server)
       SELECT $1, key, 'ann', 'm', 'w', 'running', '{}', 0, 0, 1, 1, $3 FROM made`,
      ...[runId, thread, server],
    );
    return new PostgresSaver({ database, queue, writer: { lease: { runId, number: 1 }, emit } });
  };
  const leave = async () => {
    await queue.idle();
    await database.close();
  };
  return {
    saver,
    writer,
    saverOf: async (run) => leased(await writer(run.threadKey), run),
    archive: checkpointArchive(database),
    prune: (thread, ids) => database.transaction((tx) => checkpointPruning.prune(tx, thread, ids)),
    pruneHistory: (thread, ids) =>
      database.transaction((tx) => checkpointPruning.pruneHistory(tx, thread, ids)),
    settle: (thread) => database.transaction((tx) => checkpointPruning.settle(tx, thread)),
    copySteps: (from, id, to) =>
      database.transaction((tx) =>
        checkpointPruning.copySteps(tx, from, { namespace: '', checkpointId: id }, to),
      ),
    written: () => queue.idle(),
    async committed(table, expression) {
      const row = await database.get<{ n: number | null }>(
        `SELECT (${expression})::bigint AS n FROM skein.${table}`,
      );
      return row?.n ?? 0;
    },
    async change(table, text) {
      await database.run(text(`skein.${table}`));
    },
    async reopen() {
      await leave();
      return openSaver(fresh);
    },
    async close() {
      await leave();
      await fresh.drop();
    },
  };
}
