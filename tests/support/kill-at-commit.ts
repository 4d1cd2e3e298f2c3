/** Preloaded into a service on SQLite: kills it before or after the COMMIT that the file `kill-at` selects. */
import { Database } from 'bun:sqlite';
import { beforeCommit, type Kind } from './kill-point.ts';
import './write-at-once.ts';

// A turn starts with empty outputs, and an agent adds its output.
const AGENT_FINISHED = /"outputs",\[/;

let changes: string[] = [];
const watched = new WeakSet<object>();
const query = Database.prototype.query;

Database.prototype.query = function watchedQuery(this: Database, sql: string) {
  const statement = query.call(this, sql);
  if (!watched.has(statement)) watch(statement, sql);
  return statement;
} as typeof query;

function watch(statement: ReturnType<typeof query>, sql: string): void {
  watched.add(statement);
  const run = statement.run.bind(statement);
  const get = statement.get.bind(statement);
  const change = /^\s*(INSERT|UPDATE|DELETE)\b(?:\s+OR\s+\w+)?(?:\s+INTO|\s+FROM)?\s+(\w+)/.exec(sql);
  // A change with RETURNING.
  if (change)
    statement.get = (...values) => {
      changes.push(`${change[1]} ${change[2]}`);
      return get(...values);
    };
  statement.run = (...values) => {
    if (sql !== 'COMMIT') {
      if (change) changes.push(`${change[1]} ${change[2]}`);
      if (change?.[2] === 'checkpoint_writes' && AGENT_FINISHED.test(values.join())) changes.push('agent');
      return run(...values);
    }
    const afterCommit = beforeCommit(kindOf(changes), [...new Set(changes)].join(', '));
    const result = run(...values);
    afterCommit();
    changes = [];
    return result;
  };
}

function kindOf(changed: string[]): Kind {
  if (changed.includes('INSERT runs')) return 'accept';
  if (changed.includes('UPDATE threads')) return 'end';
  return changed.includes('agent') ? 'agent' : 'other';
}
