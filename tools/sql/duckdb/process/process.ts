/** The database process: answers one line at a time, and ends with its parent. */
import { rmdirSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { readLines } from '../../../processes/read-lines.ts';
import type { Table } from '../../engine.ts';
import { type Catalog, lowerCase } from '../catalog.ts';
import { checkSql } from '../guard/guard.ts';
import type { Answer, Setup, Task } from '../messages.ts';
import { loadTables } from '../tables/load-workflow-tables.ts';
import { readRows } from '../tables/rows.ts';
import { saveCsv, saveParquet } from '../tables/save-rows.ts';
import { readCatalog, readTables } from '../tables/schema.ts';
import { isFatal, openingFailure, speakable, sqlFailure } from './failure.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

// Must be defined before the code below, which uses them and runs immediately.
const WATCH_MS = 20;
const NICE = 5;
// A line may contain the tables of a document.
const MAX_TASK = 64_000_000;

// On machines with few cores, the service's own work has priority. Set before any thread starts, because threads inherit it.
setPriority(NICE);

const lines = readLines(Bun.stdin.stream(), MAX_TASK);
const first = await lines.next();
if (!first.done) await serve(JSON.parse(first.value) as Setup);
end();

async function serve(setup: Setup): Promise<void> {
  watchMemory(setup);
  const opened = await open(setup);
  if (!opened) return;
  say({ is: 'ready' });
  // Read lines while a statement is running, so that the end of the input is noticed immediately.
  let work = Promise.resolve();
  for await (const line of lines) {
    const task = JSON.parse(line) as Task;
    work = work.then(async () => say(await answer(task, setup, opened)));
  }
}

type Opened = Sandbox & {
  catalog: Catalog;
  /** Read once, at first use, because the file cannot change while it is open. */
  tables?: Table[];
};

async function open(setup: Setup): Promise<Opened | undefined> {
  try {
    const sandbox = await openSandbox(setup);
    return { ...sandbox, catalog: await readCatalog(sandbox.connection) };
  } catch (error) {
    say({ is: 'closed', reason: openingFailure(error) });
    return undefined;
  }
}

async function answer(task: Task, setup: Setup, opened: Opened): Promise<Answer> {
  try {
    if (task.do === 'load') return await load(task, opened);
    if (task.do !== 'tables') return await answerSql(task, setup, opened);
    opened.tables ??= await readTables(opened.connection, opened.catalog);
    return { is: 'tables', tables: opened.tables };
  } catch (error) {
    if (isFatal(error)) end();
    return { is: 'failed', failure: sqlFailure(error, setup.path ?? '') };
  }
}

async function load({ tables }: Extract<Task, { do: 'load' }>, opened: Opened): Promise<Answer> {
  const names = await loadTables(opened.connection, tables);
  opened.catalog = { ...opened.catalog, tables: new Map(names.map((name) => [lowerCase(name), name])) };
  return { is: 'loaded' };
}

type SqlTask = Extract<Task, { sql: string }>;

async function answerSql(
  task: SqlTask,
  { path = '' }: Setup,
  { connection, catalog }: Opened,
): Promise<Answer> {
  const verdict = await checkSql(connection, task.sql, catalog);
  if (verdict.ok) {
    const { statement, tables, checks } = verdict;
    try {
      if (task.do === 'check') return { is: 'checked', checked: { ok: true, tables, checks } };
      if (task.do === 'query') return { is: 'rows', result: await readRows(statement, task.maxRows) };
      const save = task.format === 'csv' ? saveCsv : saveParquet;
      return { is: 'saved', saved: await save(statement, task) };
    } finally {
      statement.destroySync();
    }
  }
  const { rule } = verdict;
  const reason = speakable(verdict.reason, path);
  if (task.do === 'check') return { is: 'checked', checked: { ok: false, rule, reason } };
  // The database rejects unknown names, not the guard.
  if (rule === 'invalid_sql') return { is: 'failed', failure: sqlFailure(verdict.reason, path) };
  return { is: 'failed', failure: { kind: 'refused', rule, reason } };
}

/** Works on every platform. On Linux, the service also watches from outside, where a blocked event loop has no effect. */
function watchMemory({ maxMemory }: Setup): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > maxMemory) end();
  }, WATCH_MS);
}

/** Writes synchronously, because the process may end immediately afterwards. */
function say(answer: Answer): void {
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`);
  try {
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent);
  } catch {
    // The service no longer listens.
    end();
  }
}

/** Ends the process immediately, because an orderly exit would wait for the running statement. */
function end(): never {
  try {
    rmdirSync(process.cwd());
  } catch {
    // The service has removed it, or it isn't empty.
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}
