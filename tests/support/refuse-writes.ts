/** Preloaded into a service on SQLite: while the file `refuse-writes` exists, transactions fail with the SQLite code in it. */
import { Database, SQLiteError } from 'bun:sqlite';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(process.cwd(), 'refuse-writes');
const watched = new WeakSet<object>();
const query = Database.prototype.query;

Database.prototype.query = function refusingQuery(this: Database, sql: string) {
  const statement = query.call(this, sql);
  if (!sql.startsWith('BEGIN') || watched.has(statement)) return statement;
  watched.add(statement);
  const run = statement.run.bind(statement);
  statement.run = (...values) => {
    if (!existsSync(FILE)) return run(...values);
    const code = readFileSync(FILE, 'utf8');
    throw Object.assign(Object.create(SQLiteError.prototype), { code, message: `refused: ${code}` });
  };
  return statement;
} as typeof query;
