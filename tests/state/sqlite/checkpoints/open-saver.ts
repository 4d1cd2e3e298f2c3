/** A saver on a database file of its own in a temporary folder. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedRun } from '../../../../state/checkpoints.ts';
import { LeasedSaver } from '../../../../state/driver/checkpoints/run-saver.ts';
import { SqliteSaver } from '../../../../state/sqlite/checkpoints/saver.ts';
import { checkpointStatements } from '../../../../state/sqlite/checkpoints/statements.ts';
import { groupCommit } from '../../../../state/sqlite/file/group-commit.ts';
import { migrate } from '../../../../state/sqlite/file/schema.ts';

/** In `folder`, where an earlier one was left, or in a new one. */
export function openSaver(folder = mkdtempSync(join(tmpdir(), 'skein-saver-'))) {
  const db = new Database(join(folder, 'state.db'), { strict: true, create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA secure_delete = ON');
  migrate(db);
  const commit = groupCommit(db, async () => {});
  const sql = checkpointStatements(db);
  const saver = new SqliteSaver(sql, commit);
  const saverOf = (run: SavedRun) => new LeasedSaver(new SqliteSaver(sql, commit), run);
  const leave = () => {
    commit.flush();
    db.close();
  };
  const close = () => {
    leave();
    rmSync(folder, { recursive: true });
  };
  return { saver, saverOf, db, commit, folder, leave, close };
}
