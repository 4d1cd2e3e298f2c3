/** A saver on a database file of its own in a temporary folder. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteSaver } from '../../../state/sqlite/checkpoints.ts';
import { groupCommit } from '../../../state/sqlite/group-commit.ts';
import { migrate } from '../../../state/sqlite/schema.ts';

/** In `folder`, where an earlier one was left, or in a new one. */
export function openSaver(folder = mkdtempSync(join(tmpdir(), 'skein-saver-'))) {
  const db = new Database(join(folder, 'state.db'), { strict: true, create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA secure_delete = ON');
  migrate(db);
  const commit = groupCommit(db, async () => {});
  const saver = new SqliteSaver(db, commit);
  const leave = () => {
    commit.flush();
    db.close();
  };
  const close = () => {
    leave();
    rmSync(folder, { recursive: true });
  };
  return { saver, db, commit, folder, leave, close };
}
