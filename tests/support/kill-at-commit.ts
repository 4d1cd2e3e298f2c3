/** Preloaded into a service: ends it with SIGKILL before or after the COMMIT that the file `kill-at` in its folder names. */
import { Database } from 'bun:sqlite';
import { readFileSync, rmSync, writeSync } from 'node:fs';

// `before agent 3`: the transaction with what the third agent has finished has done its work and is not committed;
// `after agent 3`: it is, and nobody knows. By kind, because when events and the first checkpoints are stored, and with
// what, is a matter of milliseconds. Counted from the first transaction that finds the file, or another text in it.
const FILE = 'kill-at';
// A turn begins with empty outputs, an agent adds its own.
const AGENT_FINISHED = /"outputs",\[/;

let counted: string | undefined;
let commits: Record<string, number> = {};
let changes: string[] = [];
const watched = new WeakSet<object>();
const query = Database.prototype.query;

// Writes share a transaction where nobody reads between them. Here somebody always does: each is committed before the
// next is queued, which is the finest that other requests can make of it.
if (process.env.COMMIT_AT_ONCE) {
  const cancelled = new WeakSet<object>();
  globalThis.setImmediate = ((work: () => void) => {
    const immediate = {};
    queueMicrotask(() => cancelled.has(immediate) || work());
    return immediate;
  }) as unknown as typeof setImmediate;
  globalThis.clearImmediate = ((immediate?: object) => {
    if (immediate) cancelled.add(immediate);
  }) as typeof clearImmediate;
}

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
  // A change that gives back a row.
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
    const done = kindOf(changes);
    const target = asked();
    if (target !== counted) commits = {};
    counted = target;
    commits[done] = (commits[done] ?? 0) + 1;
    killAt(target, `before ${done} ${commits[done]}`);
    const result = run(...values);
    killAt(target, `after ${done} ${commits[done]}`);
    changes = [];
    return result;
  };
}

function kindOf(changed: string[]): string {
  if (changed.includes('INSERT runs')) return 'accept';
  if (changed.includes('UPDATE threads')) return 'end';
  return changed.includes('agent') ? 'agent' : 'other';
}

function asked(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return undefined;
  }
}

function killAt(target: string | undefined, here: string): void {
  if (here !== target) return;
  // Not again at the next start.
  rmSync(FILE);
  // At once: a stream of the process would not be written before it ends.
  writeSync(2, `killed ${here}: ${[...new Set(changes)].join(', ')}\n`);
  process.kill(process.pid, 'SIGKILL');
}
