/** A saver on a database file of its own in a temporary folder. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteSaver } from '../../../state/sqlite/checkpoints.ts';
import { groupCommit } from '../../../state/sqlite/group-commit.ts';
import { migrate } from '../../../state/sqlite/schema.ts';

export function openSaver() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-saver-'));
  const db = new Database(join(folder, 'state.db'));
  db.run('PRAGMA journal_mode = WAL');
  migrate(db);
  const commit = groupCommit(db, async () => {});
  const saver = new SqliteSaver(db, commit);
  const close = () => {
    commit.flush();
    db.close();
    rmSync(folder, { recursive: true });
  };
  return { saver, db, commit, close };
}
