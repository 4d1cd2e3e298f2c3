/**
 * A separate process that rebuilds a state file, so that no deleted data remains in it, and truncates its log. Fails if a
 * reader, such as a backup, needs the log for more than a second.
 */
import { Database } from 'bun:sqlite';

const TRIES = 40;
const BETWEEN_MS = 25;

const [path = ''] = process.argv.slice(2);
const db = new Database(path, { readwrite: true });
// The service may be writing to the file.
db.run('PRAGMA busy_timeout = 2000');
db.run('PRAGMA secure_delete = ON');
db.run('VACUUM');
db.run('PRAGMA busy_timeout = 25');
const truncate = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)');
let isTruncated = false;
for (let tries = 0; tries < TRIES && !isTruncated; tries++) {
  isTruncated = truncate.get()?.busy === 0;
  if (!isTruncated) await Bun.sleep(BETWEEN_MS);
}
db.close();
process.exit(isTruncated ? 0 : 1);
