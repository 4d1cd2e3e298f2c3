/** DELETE /callers/{caller} deletes all data of the caller, in every table and file, and no other data. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesWith } from '../../support/bytes.ts';
import { spawnCommand } from '../../support/process.ts';
import { scriptedProvider } from '../../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../../support/service.ts';
import { askState, tablesOf } from '../../support/stored-state.ts';
import { stateEnv } from '../../support/test-state.ts';
import { echoing } from '../support/calls.ts';
import { ANN, BOB, protectedConfig, ROBOT } from '../support/credentials.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

type Headers = Record<string, string>;

const provider = scriptedProvider(echoing());
const folder = mkdtempSync(join(tmpdir(), 'skein-erasure-'));
let child: ReturnType<typeof spawnCommand>;
let url = '';

beforeAll(async () => {
  const fields = 'operators: ["user:ann"], rotate_refresh_tokens: true';
  const webhooks = 'webhooks: {allowed_hosts: ["127.0.0.1"]}\n';
  await Bun.write(join(folder, 'config.yml'), protectedConfig(fields) + webhooks);
  const env = { ...WITHOUT_SAMPLES, ...providerEnv(provider.url), ...(await stateEnv(folder)) };
  child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env);
  for await (const text of child.lines) {
    url = /listening on (\S+)/.exec(text)?.[1] ?? '';
    if (url !== '') break;
  }
});

afterAll(async () => {
  child.kill('SIGTERM');
  await child.exited;
  await provider.close();
  rmSync(folder, { recursive: true });
});

async function call(who: Headers, method: string, path: string, body?: object | string, more: Headers = {}) {
  const isText = typeof body === 'string';
  const headers = { ...who, ...(body && !isText ? { 'content-type': 'application/json' } : {}), ...more };
  const init = { method, headers, body: isText ? body : body && JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  const read: any = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
  return { status: response.status, body: read };
}

/** Creates one of everything that a caller can own, each with the word in it. */
async function fill(who: Headers, word: string): Promise<void> {
  const done: number[] = [];
  const ask = async (...args: [method: string, path: string, body?: object | string, more?: Headers]) => {
    const answer = await call(who, ...args);
    done.push(answer.status);
    return answer.body;
  };
  const flow = { conversation_flow: 'classification-agent' };
  const key = { 'idempotency-key': `${word}-key` };
  const prompt = { ...flow, user_prompt: `${word} ${`${word} `.repeat(500)}`, user_id: word };
  const turn = await ask('POST', '/api/v1/chat', { ...prompt, thread_id: `${word}-thread` }, key);
  for (let n = 0; n < 5; n++)
    await ask('POST', '/api/v1/chat', { ...prompt, thread_id: `${word}-thread`, topic: word });
  await ask('PUT', `/api/v1/messages/${turn.message_id}/feedback`, {
    comment: `${word} comment`,
    tags: [word],
  });
  await ask('PATCH', `/api/v1/threads/${word}-thread`, { title: word, metadata: { note: word } });
  await ask('POST', `/api/v1/threads/${word}-thread/fork`, {});
  await ask('POST', '/threads', { metadata: { note: word } });
  const run = {
    assistant_id: 'classification-agent',
    input: { messages: [{ role: 'user', content: word }] },
  };
  await ask('POST', '/runs/wait', { ...run, metadata: { note: word } });
  const hook = { webhook: `http://127.0.0.1:1/${word}` };
  await ask('POST', `/threads/${word}-thread/runs/wait`, { ...run, ...hook });
  await ask('POST', '/runs/crons', { ...run, schedule: '0 0 1 1 *', metadata: { note: word } });
  await ask('POST', '/assistants', { graph_id: 'classification-agent', name: word, context: { note: word } });
  await ask('PUT', '/store/items', { namespace: ['notes', word], key: word, value: { note: word } });
  await ask('PUT', `/api/v1/knowledge/documents/${word}.md`, `# ${word}\n\nA document.`);
  expect(done.filter((status) => status >= 300)).toEqual([]);
}

/** Whether the text is in any table, or in any byte of SQLite's files. */
async function stored(text: string): Promise<string[]> {
  const tables: string[] = [];
  for (const table of await tablesOf(folder)) {
    const rows = await askState(folder, `SELECT * FROM ${table}`);
    if (JSON.stringify(rows).includes(text)) tables.push(table);
  }
  return [...tables, ...filesWith(join(folder, '.tmp'), text).filter((file) => file.includes('skein.db'))];
}

const NOTHING = {
  threads: 0,
  runs: 0,
  messages: 0,
  feedback: 0,
  store_items: 0,
  assistants: 0,
  crons: 0,
  documents: 0,
};

test('everything of a caller is deleted, and the data of others stays', async () => {
  await fill(ROBOT, 'bystander');
  await fill(BOB, 'canary');
  const held = await stored('canary');
  for (const table of ['threads', 'runs', 'messages', 'events', 'feedback', 'idempotency', 'checkpoints'])
    expect(held).toContain(table);
  for (const table of ['items', 'assistant_versions', 'crons', 'webhook_deliveries', 'document_authors'])
    expect(held).toContain(table);
  const threads = (await call(ROBOT, 'GET', '/api/v1/threads')).body;

  const { status, body } = await call(ANN, 'DELETE', '/api/v1/callers/user:bob');
  expect(status).toBe(200);
  const { threads: erasedThreads, runs, messages, ...rest } = body.erased;
  expect(body.caller).toBe('user:bob');
  expect(rest).toEqual({ feedback: 1, store_items: 1, assistants: 1, crons: 1, documents: 1 });
  expect([erasedThreads >= 3, runs >= 7, messages >= 12]).toEqual([true, true, true]);

  expect(await stored('canary')).toEqual([]);
  expect(await stored('user:bob')).toEqual([]);
  expect(readdirSync(join(folder, '.tmp', 'knowledge_base')).filter((name) => name.endsWith('.md'))).toEqual([
    'bystander.md',
  ]);
  expect((await stored('bystander')).length).toBeGreaterThan(8);
  expect((await call(ROBOT, 'GET', '/api/v1/threads')).body).toEqual(threads);
  for (const [method, path, asked] of [
    ['GET', '/api/v1/threads'],
    ['GET', '/api/v1/runs'],
    ['POST', '/threads/search', {}],
    ['POST', '/runs/crons/search', {}],
    ['POST', '/store/items/search', { namespace_prefix: [] }],
  ] as [string, string, object?][])
    expect(JSON.stringify((await call(BOB, method, path, asked)).body)).not.toContain('canary');

  expect((await call(ANN, 'DELETE', '/api/v1/callers/user:bob')).body).toEqual({
    ...{ caller: 'user:bob', erased: NOTHING },
  });
  await until(() => child.output().split('"caller erased"').length > 4);
  const lines = child
    .output()
    .split('\n')
    .filter((line) => line.includes('"audit":"caller erased"'));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    caller: 'user:ann',
    owner: 'user:bob',
    erased: body.erased,
  });
  expect(lines.length).toBe(2);
  expect(lines.join()).not.toContain('canary');
});

test('running work is cancelled first, and the caller can start again with the same ids', async () => {
  const before = provider.requests.length;
  provider.script = echoing({
    answer: () => (signal: AbortSignal) =>
      new Promise<Response>((resolve) => signal.addEventListener('abort', () => resolve(new Response()))),
  });
  const flow = { conversation_flow: 'classification-agent', thread_id: 'canary-busy' };
  const running = call(BOB, 'POST', '/api/v1/chat', { ...flow, user_prompt: 'canary held' });
  await until(() => provider.requests.length >= before + 2);
  const queued = call(BOB, 'POST', '/api/v1/chat', { ...flow, user_prompt: 'canary waiting' });
  await until(async () => (await call(BOB, 'GET', '/api/v1/runs')).body.runs.length === 2);
  const erasures = [1, 2].map(() => call(ANN, 'DELETE', '/api/v1/callers/user:bob'));
  expect((await Promise.all(erasures)).map(({ status }) => status)).toEqual([200, 200]);
  for (const { status, body } of await Promise.all([running, queued]))
    expect([status, body.error_code]).toEqual([409, 'RUN_CANCELLED']);
  expect(await stored('canary')).toEqual([]);
  provider.script = echoing();
  const again = await call(BOB, 'POST', '/api/v1/chat', { ...flow, user_prompt: 'another' });
  expect(again.status).toBe(200);
  expect((await call(BOB, 'GET', '/api/v1/threads/canary-busy')).body.message_count).toBe(2);
});

test('only operators can erase; for others the endpoint does not exist, and nothing is deleted', async () => {
  for (const who of [BOB, ROBOT]) {
    const { status, body } = await call(who, 'DELETE', '/api/v1/callers/key:robot');
    expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
  }
  expect((await call(ROBOT, 'GET', '/api/v1/threads')).body.threads.length).toBeGreaterThan(1);
  expect((await call({}, 'DELETE', '/api/v1/callers/key:robot')).status).toBe(401);
});

test.each(['bob', 'user:', '*', 'nobody', '%00'])('%p is not a valid caller', async (caller) => {
  const { status, body } = await call(ANN, 'DELETE', `/api/v1/callers/${caller}`);
  expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
});

test.each(['user:nobody', 'oidc:https%3A%2F%2Fexample.org%2Fa b', 'anonymous'])(
  '%p has no data',
  async (caller) => {
    const { status, body } = await call(ANN, 'DELETE', `/api/v1/callers/${caller}`);
    expect([status, body.erased]).toEqual([200, NOTHING]);
  },
);
