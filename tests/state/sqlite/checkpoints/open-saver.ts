/** Savers on a new database file in a temporary folder. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedRun } from '../../../../state/checkpoints/checkpoints.ts';
import { checkpointArchive } from '../../../../state/sqlite/checkpoints/list.ts';
import { SqliteSaver } from '../../../../state/sqlite/checkpoints/saver.ts';
import { checkpointStatements } from '../../../../state/sqlite/checkpoints/statements.ts';
import { type GroupCommit, groupCommit } from '../../../../state/sqlite/file/group-commit.ts';
import { migrate } from '../../../../state/sqlite/file/schema.ts';
import { leased, type OpenedSavers } from '../../../contracts/checkpoints/opened-savers.ts';

export interface SqliteSavers extends OpenedSavers {
  db: Database;
  commit: GroupCommit;
  folder: string;
}

/** Opens the file in `folder`, of an earlier call, or in a new folder. */
export async function openSaver(folder = mkdtempSync(join(tmpdir(), 'skein-saver-'))): Promise<SqliteSavers> {
  const db = new Database(join(folder, 'state.db'), { strict: true, create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA secure_delete = ON');
  migrate(db);
  const commit = groupCommit(db, async () => {});
  const sql = checkpointStatements(db);
  const saver = new SqliteSaver(sql, commit);
  db.run(
    `INSERT OR IGNORE INTO threads (key, owner, thread_id, title, workflow, created_at, updated_at)
     VALUES (1, 'ann', 't', 'T', 'w', 1, 1)`,
  );
  const writer = async (_thread: string, emit: SavedRun['emit'] = () => {}) => {
    const runId = Bun.randomUUIDv7();
    db.query(
      `INSERT INTO runs (run_id, thread, owner, message_id, workflow, status, request, created_at, lease)
       VALUES (?, 1, 'ann', 'm', 'w', 'running', '{}', 1, 1)`,
    ).run(runId);
    return new SqliteSaver(sql, commit, { lease: { runId, number: 1 }, emit });
  };
  return {
    db,
    commit,
    folder,
    saver,
    writer,
    saverOf: async (run) => leased(await writer(run.threadKey), run),
    archive: checkpointArchive(db, commit),
    prune: (thread, ids) => commit.commit(thread, () => saver.prune(thread, ids)),
    pruneHistory: (thread, ids) =>
      commit.commit(thread, () => {
        saver.pruneHistory(thread, ids);
        saver.pruneValues(thread, Number.MAX_SAFE_INTEGER);
      }),
    settle: (thread) => commit.commit(thread, () => saver.settle(thread)),
    copySteps: (from, id, to) =>
      commit.commit(to, () => saver.copySteps(from, { namespace: '', checkpointId: id }, to)),
    async written() {
      commit.flush();
    },
    async committed(table, expression) {
      const row = db.query<{ n: number | null }, []>(`SELECT ${expression} AS n FROM ${table}`).get();
      return row?.n ?? 0;
    },
    async change(table, text) {
      db.run(text(table));
    },
    async reopen() {
      commit.flush();
      db.close();
      return openSaver(folder);
    },
    async close() {
      commit.flush();
      db.close();
      rmSync(folder, { recursive: true });
    },
  };
}
