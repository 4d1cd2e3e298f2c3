/** A large state file: deletions, and LangGraph's searches of threads, while turns continue. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANONYMOUS } from '../server/authentication/identity.ts';
import { openSqlite } from '../state/sqlite/open.ts';
import { median, turn } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const THREADS = 250_000;
const MESSAGE_CHARACTERS = 3_600;
const TIMES = 5;

export async function largeState(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const path = join(folder, 'state.db');
  await fill(path);
  const bytes = statSync(path).size;
  const provider = await startProvider();
  const service = await startSkein(provider, { SERVICE_CHAT_HISTORY__DATABASE_PATH: path });
  const post = async (route: string, body: object) => {
    const response = await fetch(service.url + route, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const remove = async (index: number) => {
    await turn(`${service.url}/api/v1/chat`, `deleted-${index}`);
    return measured(service.url, async () => {
      const response = await fetch(`${service.url}/api/v1/threads/deleted-${index}`, { method: 'DELETE' });
      if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
    });
  };
  const search = (body: object) => () => measured(service.url, () => post('/threads/search', body));
  const rows = [
    await row('`DELETE` of a thread', remove),
    await row('`POST /threads/search`, the newest 10', search({})),
    await row('the same, by metadata that no thread has', search({ metadata: { none: 1 } })),
    await row('`POST /threads/count`', () => measured(service.url, () => post('/threads/count', {}))),
  ];
  for (const { stop } of [service, provider]) await stop();
  rmSync(folder, { recursive: true });
  return `## A large state file

${THREADS} threads of one caller in a file of ${(bytes / 1e9).toFixed(1)} GB. One client sends turns meanwhile. Medians of ${TIMES}; the longest turn
is the maximum.

| operation | ms | longest turn meanwhile, ms |
|---|---|---|
${rows.join('\n')}
`;
}

/** Threads with one message each. */
async function fill(path: string): Promise<void> {
  await openSqlite({ path, checkpointsPerThread: 20 }).close();
  const db = new Database(path);
  const ids = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${THREADS})`;
  const now = Date.now();
  db.run(`${ids} INSERT INTO threads (owner, thread_id, title, workflow, message_count, created_at, updated_at)
    SELECT '${ANONYMOUS.owner}', 'filled ' || i, 'A question', 'one-agent', 1, ${now} - i, ${now} - i FROM n`);
  db.run(`${ids} INSERT INTO messages (message_id, thread, run_id, workflow, role, content, status, created_at)
    SELECT 'm' || i, i, 'r' || i, 'one-agent', 'user', hex(randomblob(${MESSAGE_CHARACTERS / 2})), 'complete', ${now} - i FROM n`);
  db.close();
}

interface Measured {
  ms: number;
  longestTurn: number;
}

/** Sends turns during the work. */
async function measured(url: string, work: () => Promise<void>): Promise<Measured> {
  let isDone = false;
  let longestTurn = 0;
  const turns = (async () => {
    while (!isDone)
      longestTurn = Math.max(longestTurn, await turn(`${url}/api/v1/chat`, crypto.randomUUID()));
  })();
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  isDone = true;
  await turns;
  return { ms, longestTurn };
}

async function row(name: string, measure: (index: number) => Promise<Measured>): Promise<string> {
  const all: Measured[] = [];
  for (let index = 0; index < TIMES; index++) all.push(await measure(index));
  const longest = Math.max(...all.map(({ longestTurn }) => longestTurn));
  return `| ${name} | ${median(all.map(({ ms }) => ms)).toFixed(0)} | ${longest.toFixed(0)} |`;
}
