/** Run as a process of its own: writes a state file anew, so that nothing deleted is left in it, and empties its log. */
import { Database } from 'bun:sqlite';

const [path = ''] = process.argv.slice(2);
const db = new Database(path, { readwrite: true });
// The service that asked for this may be writing.
db.run('PRAGMA busy_timeout = 2000');
db.run('PRAGMA secure_delete = ON');
db.run('VACUUM');
db.run('PRAGMA wal_checkpoint(TRUNCATE)');
db.close();
