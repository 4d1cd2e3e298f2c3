/** Operators read the data of other callers, which is logged. No other caller can, by any route. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnCommand } from '../../support/process.ts';
import { WITHOUT_SAMPLES } from '../../support/service.ts';
import { stateEnv } from '../../support/test-state.ts';
import { answerText } from '../support/answer-text.ts';
import { ANN, BOB, protectedConfig, ROBOT } from '../support/credentials.ts';

setDefaultTimeout(60_000);

type Headers = Record<string, string>;

const folder = mkdtempSync(join(tmpdir(), 'skein-operators-'));
let child: ReturnType<typeof spawnCommand>;
let url = '';
/** The data of Bob, who is not an operator. The tests read it as other callers. */
let made: Record<'thread_id' | 'run_id' | 'message_id' | 'checkpoint_id', string>;

beforeAll(async () => {
  await Bun.write(join(folder, 'config.yml'), protectedConfig('operators: ["user:ann"]'));
  const env = { ...WITHOUT_SAMPLES, ...(await stateEnv(folder)) };
  child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env);
  for await (const text of child.lines) {
    url = /listening on (\S+)/.exec(text)?.[1] ?? '';
    if (url !== '') break;
  }
  const { body } = await ask(BOB, 'POST', '/chat', {
    ...{ user_prompt: 'canary-prompt?', conversation_flow: 'classification-agent', thread_id: 'bobs' },
  });
  const { message_id, run_id } = body;
  await ask(BOB, 'PUT', `/messages/${message_id}/feedback`, { comment: 'canary-comment' });
  const { checkpoints } = (await ask(BOB, 'GET', '/threads/bobs/checkpoints')).body;
  made = { thread_id: 'bobs', run_id, message_id, checkpoint_id: checkpoints[0].checkpoint_id };
  // Ann has her own data, so that her lists are not empty.
  await ask(ANN, 'POST', '/chat', { user_prompt: 'mine', conversation_flow: 'classification-agent' });
});

afterAll(async () => {
  child.kill('SIGTERM');
  await child.exited;
  rmSync(folder, { recursive: true });
});

async function ask(who: Headers, method: string, path: string, body?: object, prefix = '/api/v1') {
  const headers = { ...who, ...(body ? { 'content-type': 'application/json' } : {}) };
  const response = await fetch(`${url}${prefix}${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  const text = await answerText(response, `${prefix}${path}`);
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  const read = (): any => JSON.parse(text);
  return {
    status: response.status,
    text,
    get body() {
      return read();
    },
  };
}

/** The other parameters of a route, chosen so that its response is the same each time. */
const QUERIES: Record<string, string> = {
  '/api/v1/search': 'q=canary',
  '/api/v1/store/item': 'namespace=none&key=none',
  '/api/v1/statistics': 'from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z',
};

/** A URL to which another query parameter can be appended. */
const filled = (path: string) =>
  `${path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof made) => made[name] ?? 'x')}?${QUERIES[path] ?? ''}&`;

/** Lists always return a page. */
const isOne = (path: string) => path.includes('{') || path === '/api/v1/store/item';

interface Route {
  method: string;
  path: string;
  /** Whether the route has the parameter `owner`. */
  isOwned: boolean;
}

async function routes(): Promise<Route[]> {
  const { paths } = (await ask({}, 'GET', '/openapi.json', undefined, '')).body as {
    paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [] }]) => ({
      ...{ method: method.toUpperCase(), path },
      isOwned: parameters.some((one) => one.in === 'query' && one.name === 'owner'),
    })),
  );
}

const OPEN =
  /^\/(docs|openapi\.json|livez|readyz|studio.*|ok|info|.*agent-card\.json|api\/v1\/health|api\/v1\/auth\/(login|refresh))?$/;

test('the routes with the parameter owner are those that read threads, runs and messages', async () => {
  const owned = (await routes()).filter(({ isOwned }) => isOwned);
  expect(owned.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`).toSorted()).toEqual(
    [
      ...['GET /threads', 'GET /threads/{thread_id}', 'GET /threads/{thread_id}/messages'],
      ...['GET /threads/{thread_id}/checkpoints', 'GET /threads/{thread_id}/checkpoints/{checkpoint_id}'],
      ...['GET /threads/{thread_id}/runs', 'GET /runs', 'GET /runs/{run_id}', 'GET /runs/{run_id}/calls'],
      ...['GET /runs/{run_id}/rows', 'GET /runs/{run_id}/stream', 'GET /messages/{message_id}/feedback'],
      ...['GET /search', 'GET /statistics', 'GET /runs/{run_id}/trace'],
      ...['GET /thread-changes', 'GET /store/namespaces', 'GET /store/items', 'GET /store/item'],
      ...['GET /reviews'],
    ].toSorted(),
  );
});

test('a caller who is not an operator gets no data of others by any route, and the response is that of an unknown owner', async () => {
  for (const { method, path, isOwned } of await routes()) {
    if (OPEN.test(path)) continue;
    for (const owner of ['user:bob', '*', 'user:nobody']) {
      const at = `${filled(path)}owner=${encodeURIComponent(owner)}`;
      const answer = await ask(ROBOT, method, at, method === 'GET' ? undefined : {}, '');
      expect({ method, path, owner, leaks: /canary/.test(answer.text) }).toEqual({
        ...{ method, path, owner, leaks: false },
      });
      if (method !== 'GET') {
        // Chat validates its body before it checks credentials.
        if (path === '/api/v1/chat') continue;
        const isJson = answer.text.startsWith('{');
        const detail = isJson ? (answer.body.detail ?? answer.body.error.message) : answer.text;
        expect([method, path, answer.status]).toEqual([method, path, 400]);
        expect(detail).toEndWith('owner: only reads may name another caller');
      } else if (isOwned) {
        const unknown = await ask(
          ROBOT,
          method,
          at.replace(/owner=.*/, 'owner=user%3Anobody'),
          undefined,
          '',
        );
        expect([path, answer.status]).toEqual([path, isOne(path) ? 404 : 200]);
        if (isOne(path)) expect(answer.body.error_code).toBe(unknown.body.error_code);
        else expect(answer.text).toEqual(unknown.text);
      }
    }
  }
});

test('callers may name themselves', async () => {
  const { body } = await ask(BOB, 'GET', '/threads?owner=user:bob');
  expect(body.threads).toMatchObject([{ thread_id: 'bobs', owner: 'user:bob' }]);
  expect((await ask(BOB, 'GET', '/threads/bobs?owner=user:bob')).status).toBe(200);
  const titled = await ask(BOB, 'PATCH', '/threads/bobs?owner=user:bob', { title: 'canary-prompt?' });
  expect([titled.status, titled.body.title]).toEqual([200, 'canary-prompt?']);
});

test('an operator reads the data of one owner or of all callers by every route, and each read is logged', async () => {
  const before = child.output().length;
  const owned = (await routes()).filter(({ isOwned }) => isOwned);
  for (const { method, path } of owned) {
    const mine = await ask(ANN, method, filled(path), undefined, '');
    expect([path, mine.status]).toEqual([path, isOne(path) ? 404 : 200]);
    const named = await ask(ANN, method, `${filled(path)}owner=user:bob`, undefined, '');
    // The run made no SQL query and stored no items.
    const found = /\/(rows|item)$/.test(path) ? 404 : 200;
    expect([path, named.status]).toEqual([path, found]);
    const all = await ask(ANN, method, `${filled(path)}owner=*`, undefined, '');
    expect([path, all.status]).toEqual([path, /\{thread_id\}|\/store\//.test(path) ? 400 : found]);
  }
  const lines = (await audited(2 * owned.length)).slice(before);
  const logged = lines.split('\n').filter((line) => line.includes('"operator read"'));
  const entries = logged.map((line) => JSON.parse(line));
  for (const { path } of owned)
    for (const owner of ['user:bob', '*']) {
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
      const id = /\{(\w+)\}/.exec(path)?.[1] as keyof typeof made | undefined;
      expect(entries).toContainEqual(
        expect.objectContaining({
          ...{ audit: 'operator read', caller: 'user:ann', owner, route, id: id ? made[id] : null },
        }),
      );
    }
  expect(entries.length).toBe(2 * owned.length);
  expect(logged.join('')).not.toContain('canary');
});

test('lists of all callers name the owners and have pages', async () => {
  for (const [list, path] of [
    ['threads', '/threads'],
    ['runs', '/runs'],
  ] as const) {
    const first = (await ask(ANN, 'GET', `${path}?owner=*&limit=1`)).body;
    const second = (await ask(ANN, 'GET', `${path}?owner=*&limit=1&cursor=${first.next_cursor}`)).body;
    const owners = [...first[list], ...second[list]].map(({ owner }: { owner: string }) => owner);
    expect([owners, second.next_cursor]).toEqual([['user:ann', 'user:bob'], null]);
    expect((await ask(ANN, 'GET', path)).body[list].some((one: object) => 'owner' in one)).toBe(false);
  }
  const byStatus = await ask(ANN, 'GET', '/runs?owner=*&status=succeeded&workflow=classification-agent');
  expect(byStatus.body.runs.length).toBe(2);
  expect((await ask(ANN, 'GET', '/runs?owner=*&status=failed')).body.runs).toEqual([]);
});

test('an operator cannot write for others', async () => {
  for (const [method, path, body] of [
    ['DELETE', '/threads/bobs', undefined],
    ['PATCH', '/threads/bobs', { title: 'taken' }],
    ['POST', '/threads/bobs/fork', {}],
    ['POST', `/runs/${made.run_id}/cancel`, {}],
    ['POST', `/runs/${made.run_id}/calls/replay`, { messages: [{ role: 'user', content: 'x' }] }],
    ['PUT', `/messages/${made.message_id}/feedback`, { rating: 1 }],
  ] as const) {
    expect((await ask(ANN, method, path, body)).status).toBe(404);
    const named = await ask(ANN, method, `${path}?owner=user:bob`, body);
    expect([named.status, named.body.error_code]).toEqual([400, 'INVALID_REQUEST']);
  }
  expect((await ask(BOB, 'GET', '/threads/bobs')).body.title).toBe('canary-prompt?');
});

test('verify tells operators that they are operators', async () => {
  expect((await ask(ANN, 'GET', '/auth/verify')).body.operator).toBe(true);
  for (const who of [BOB, ROBOT])
    expect(Object.keys((await ask(who, 'GET', '/auth/verify')).body)).not.toContain('operator');
});

async function audited(count: number): Promise<string> {
  for (let tries = 0; tries < 250; tries++) {
    if (child.output().split('"operator read"').length > 2 * count) break;
    await Bun.sleep(20);
  }
  return child.output();
}
