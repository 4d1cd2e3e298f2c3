/** A separate process that rebuilds a state file, so that no deleted data remains in it, and truncates its log. */
import { Database } from 'bun:sqlite';

const [path = ''] = process.argv.slice(2);
const db = new Database(path, { readwrite: true });
// The service may be writing to the file.
db.run('PRAGMA busy_timeout = 2000');
db.run('PRAGMA secure_delete = ON');
db.run('VACUUM');
db.run('PRAGMA wal_checkpoint(TRUNCATE)');
db.close();
