/** Requests during the shutdown are each answered, or rejected without a trace. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openService, type Service } from '../../cli/service/open-service.ts';
import { loadSettings } from '../../settings/load.ts';
import { providerEnv, writeGraphs } from '../support/service.ts';
import { ON_POSTGRES } from '../support/test-state.ts';
import { runningProvider } from './support/running.ts';

// Each case opens its own services.
setDefaultTimeout(120_000);

/** A thread with an interrupt. */
const ASKING = `
export default workflow({
  description: 'Asks.', agents: () => [{ name: 'asker', description: 'Asks' }], example: 'Ask.',
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('asker', agent('asker', async () => ({ content: 'you said ' + interrupt('Yes or no?') })))
    .addEdge(START, 'asker').addEdge('asker', END),
});`;

const provider = runningProvider();
const prepared = mkdtempSync(join(tmpdir(), 'skein-prepared-'));
const ids = { message: '', waiting: '' };

beforeAll(async () => {
  await writeGraphs(prepared, { asking: ASKING });
  const service = await open(prepared);
  const send = async (...[method, path, body]: Call) => {
    const response = await service.app.handle(request([method, path, body]));
    expect({ path, isDone: response.ok }).toEqual({ path, isDone: true });
    return response.json() as Promise<Record<string, string>>;
  };
  const chat = (conversation_flow: string, thread_id: string) =>
    send('POST', 'chat', { user_prompt: 'hi', conversation_flow, thread_id });
  ids.message = (await chat('classification-agent', 't')).message_id ?? '';
  ids.waiting = (await chat('asking', 'waiting')).run_id ?? '';
  await send('POST', 'prompts/update/v1/notes.txt', { content: 'one' });
  await send('PUT', 'knowledge/documents/there.txt', 'Wheels are round.');
  await service.close(30);
});
afterAll(() => rmSync(prepared, { recursive: true }));

type Call = [method: string, path: string, body?: unknown];

const WRITES: Record<string, () => Call> = {
  'a chat': () => ['POST', 'chat', { user_prompt: 'hi', conversation_flow: 'classification-agent' }],
  'a chat with a key': () => ['POST', 'chat', { user_prompt: 'key', conversation_flow: 'asking' }],
  'an answer to an interrupt': () => ['POST', 'threads/waiting/resume', { value: 'yes' }],
  'the cancellation of a waiting run': () => ['POST', `runs/${ids.waiting}/cancel`],
  'a fork': () => ['POST', 'threads/t/fork', {}],
  'a new title': () => ['PATCH', 'threads/t', { title: 'new' }],
  'a deletion': () => ['DELETE', 'threads/t'],
  feedback: () => ['PUT', `messages/${ids.message}/feedback`, { rating: 5 }],
  'a prompt file': () => ['POST', 'prompts/update/v1/notes.txt', { content: 'two' }],
  'a restored prompt file': () => ['POST', 'prompts/restore/v1/notes.txt', { version: 1 }],
  'a document': () => ['PUT', 'knowledge/documents/new.txt', 'Pedals turn.'],
  'the deletion of a document': () => ['DELETE', 'knowledge/documents/there.txt'],
};

// A lock on SQLite's file holds up the writes.
describe.skipIf(ON_POSTGRES).each(Object.entries(WRITES))('%s', (name, call) => {
  test('is answered, or rejected without a trace, at every moment of the shutdown', async () => {
    const answered: boolean[] = [];
    for (const turns of [0, 1, 2, 4, 16]) {
      const folder = mkdtempSync(join(tmpdir(), 'skein-closing-'));
      try {
        cpSync(prepared, folder, { recursive: true });
        const before = contentOf(folder);
        const service = await open(folder);
        const unlock = lockState(folder);
        const pending = service.app.handle(request(call(), name === 'a chat with a key' ? 'k' : undefined));
        for (let turn = 0; turn < turns; turn++) await nextTurn();
        const closed = service.close(60);
        for (let turn = 0; turn < 16; turn++) await nextTurn();
        unlock();
        const response = await pending;
        await closed;
        if (!response.ok) {
          expect({ turns, status: response.status, ...((await response.json()) as object) }).toMatchObject({
            status: 'error',
            error_code: 'SHUTTING_DOWN',
          });
          expect(contentOf(folder)).toEqual(before);
        }
        answered.push(response.ok);
        expect(unfinishedIn(folder)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    expect(answered.at(-1)).toBe(true);
  });
});

async function open(folder: string): Promise<Service> {
  const env = {
    ...providerEnv(provider.url),
    SERVICE_TELEMETRY__LOG_LEVEL: 'silent',
    SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false',
    SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'false',
  };
  const service = await openService(loadSettings({ cwd: folder, env, flags: {} }));
  await service.start('http://localhost');
  return service;
}

function request([method, path, body]: Call, key?: string): Request {
  const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return new Request(`http://localhost/api/v1/${path}`, { method, headers, body: sent });
}

const stateOf = (folder: string) => join(folder, '.tmp', 'skein.db');

/** Locks the file as another program would, so that the service's writes wait until it is released. */
function lockState(folder: string): () => void {
  const db = new Database(stateOf(folder));
  db.run('BEGIN IMMEDIATE');
  return () => {
    db.run('ROLLBACK');
    db.close();
  };
}

function unfinishedIn(folder: string): unknown[] {
  const db = new Database(stateOf(folder), { readonly: true });
  const rows = db.query("SELECT run_id, status FROM runs WHERE status IN ('queued', 'running')").all();
  db.close();
  return rows;
}

/** Everything that is stored: the rows of the state, the prompt files and the documents. */
function contentOf(folder: string): Record<string, string> {
  const db = new Database(stateOf(folder), { readonly: true });
  const tables = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => [name, JSON.stringify(db.query(`SELECT * FROM "${name}"`).values())]);
  db.close();
  const files = ['.files', '.tmp/knowledge_base']
    .map((name) => join(folder, name))
    .flatMap((name) => readdirSync(name, { recursive: true }).map((file) => join(name, String(file))))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path, 'utf8')]);
  return Object.fromEntries([...tables, ...files]);
}
