/** The guard protects every route of the application: no route is public by accident. */
import { expect, test } from 'bun:test';
import { SAMPLE_DATABASE } from '../../support/service.ts';
import {
  ANN,
  BOB,
  basic,
  bearer,
  KEY,
  type Pair,
  pairOf,
  protectedConfig,
  ROBOT,
} from '../support/credentials.ts';
import { answerOf, expectA2ARefused, expectOpenAIRefused, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

const provider = runningProvider();
const service = runningService(
  provider,
  `${protectedConfig('failed_logins_per_minute: 10000')}a2a: {default: classification-agent}\n`,
  {},
  SAMPLE_DATABASE,
);

/** The public routes according to the contract. */
const EXEMPT = ['/', '/docs', '/openapi.json', '/livez', '/readyz', '/api/v1/health'].concat(
  '/studio',
  '/studio/*',
  '/ok',
  '/info',
  '/.well-known/agent-card.json',
  '/a2a/{workflow}/.well-known/agent-card.json',
  '/api/v1/auth/login',
  '/api/v1/auth/refresh',
);

/** Valid bodies. Routes that are not listed require no body. */
const RUN = { assistant_id: 'classification-agent', input: { messages: 'hi' } };
const BODIES: Record<string, object> = {
  'POST /api/v1/chat': { user_prompt: 'hi', conversation_flow: 'classification-agent' },
  'POST /api/v1/threads/{thread_id}/resume': { value: 1 },
  'POST /api/v1/threads/{thread_id}/fork': {},
  'PATCH /api/v1/threads/{thread_id}': { title: 'x' },
  'PUT /api/v1/messages/{message_id}/feedback': { rating: 5 },
  'PUT /api/v1/reviews/{message_id}': { reviewed: true },
  'POST /api/v1/datasets/{dataset}/cases': { prompt: 'x', expect: { exact: 'x' } },
  'PUT /api/v1/datasets/{dataset}/cases/{case_id}': { prompt: 'x', expect: { exact: 'x' } },
  'POST /api/v1/datasets/{dataset}/results': { workflow: 'classification-agent' },
  'POST /api/v1/prompts/update/{revision_id}/{filename}': { content: 'x' },
  'POST /api/v1/prompts/restore/{revision_id}/{filename}': { version: 1 },
  'POST /api/v1/prompts/render/{revision_id}/{filename}': { variables: {} },
  'POST /api/v1/prompts/dry-run/{revision_id}/{filename}': { content: 'x', turns: 1 },
  'POST /api/v1/knowledge/search': { query: 'x' },
  'POST /api/v1/model-calls': {
    workflow: 'classification-agent',
    messages: [{ role: 'user', content: 'x' }],
  },
  'POST /api/v1/runs/{run_id}/calls/replay': { messages: [{ role: 'user', content: 'x' }] },
  'POST /ag-ui/{workflow}': { threadId: 't', runId: 'r', messages: [{ role: 'user', content: 'hi' }] },
  'POST /ai/{workflow}': { id: 'chat', messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }] },
  'POST /v1/chat/completions': {
    model: 'classification-agent',
    messages: [{ role: 'user', content: 'hi' }],
  },
  'POST /v1/responses': { model: 'classification-agent', input: 'hi' },
  'POST /a2a/{workflow}': { jsonrpc: '2.0', method: 'tasks/get' },
  'POST /threads/prune': { thread_ids: [] },
  'POST /runs/cancel': { status: 'all' },
  'POST /threads/{thread_id}/runs': RUN,
  'POST /threads/{thread_id}/runs/stream': RUN,
  'POST /threads/{thread_id}/runs/wait': RUN,
  'POST /threads/{thread_id}/commands': { id: 1, method: 'state.get' },
  'POST /threads/{thread_id}/stream/events': { channels: ['values'] },
  'POST /runs': RUN,
  'POST /runs/stream': RUN,
  'POST /runs/wait': RUN,
  'POST /runs/batch': [RUN],
  'POST /runs/crons': { ...RUN, schedule: '0 0 1 1 *' },
  'POST /threads/{thread_id}/runs/crons': { ...RUN, schedule: '0 0 1 1 *' },
  'POST /assistants': { graph_id: 'classification-agent' },
  'POST /assistants/{assistant_id}/latest': { version: 1 },
  'PUT /store/items': { namespace: ['a'], key: 'k', value: {} },
  'DELETE /store/items': { namespace: ['a'], key: 'k' },
  'POST /ui/{graph}': { name: 'x' },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'POST /store/items/search': { namespace_prefix: ['a'] },
};

/** These paths respond with the error body inside a JSON-RPC object. */
const isMcp = (path: string) => path === '/mcp';
/** The paths of LangGraph's protocol and of the AI SDK respond with text. */
const isProtocol = (path: string) =>
  !/^\/(api|ag-ui|docs)\//.test(path) && path !== '/metrics' && !isMcp(path);
const UNAUTHORIZED = 'Missing or invalid credentials';

async function expectUnauthorized(path: string, call: Promise<Response>): Promise<void> {
  if (path.startsWith('/v1/')) return expectOpenAIRefused(call, 401, 'UNAUTHORIZED');
  if (isMcp(path)) return expectRpcUnauthorized(call);
  if (path.startsWith('/a2a/')) return expectA2ARefused(call, 401, 'UNAUTHORIZED');
  if (!isProtocol(path)) return void expectRefused(await answerOf(call), 401, 'UNAUTHORIZED');
  const response = await call;
  expect([response.status, await response.text()]).toEqual([401, UNAUTHORIZED]);
}

async function expectRpcUnauthorized(call: Promise<Response>): Promise<void> {
  const answer = await answerOf(call);
  const { error, ...rest } = answer.body;
  expect(rest).toEqual({ jsonrpc: '2.0', id: null });
  expect(error).toMatchObject({ code: -32000, message: UNAUTHORIZED });
  expectRefused({ ...answer, body: error.data }, 401, 'UNAUTHORIZED');
}

/** The query strings of routes that require one. */
const QUERIES: Record<string, string> = {
  'GET /store/items': '?key=k',
  'GET /api/v1/search': '?q=a',
  'GET /api/v1/store/item': '?namespace=a&key=k',
};

interface Route {
  method: string;
  path: string;
  body: string | undefined;
}

async function routes(): Promise<Route[]> {
  const document = (await (await service.fetch('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([name, { requestBody }]) => {
      const method = name.toUpperCase();
      const body = BODIES[`${method} ${path}`] ?? (requestBody ? {} : undefined);
      return { method, path, body: body && JSON.stringify(body) };
    }),
  );
}

const protectedRoutes = async () => (await routes()).filter(({ path }) => !EXEMPT.includes(path));

function ask({ method, path, body }: Route, headers: Record<string, string> = {}, end = '') {
  const all = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const url =
    path
      .replace('{filename}', 'x.txt')
      .replace('{name}', 'x.md')
      .replace('{workflow}', 'classification-agent')
      .replace('{caller}', 'user:x')
      .replaceAll(/\{[^}]+\}/g, 'x') + end;
  return service.fetch(url, { method, headers: all, body, redirect: 'manual' });
}

const badKinds = ({ access_token, refresh_token }: Pair): Record<string, string>[] => [
  basic('bob', 'wrong'),
  { authorization: 'Basic' },
  { authorization: 'Digest x' },
  bearer(refresh_token),
  bearer(`${access_token}x`),
  bearer('nokey'),
  { 'x-api-key': 'nokey' },
  { 'x-api-key': access_token },
  { 'x-api-key': '' },
  { ...ANN, ...ROBOT },
];

test('every route but the exempt ones requires credentials and rejects each kind of invalid ones', async () => {
  const bad = badKinds(await pairOf(service));
  const found = await protectedRoutes();
  expect(found.length).toBeGreaterThan(15);
  for (const route of found) {
    for (const headers of [{}, ...bad]) {
      for (const end of 'authorization' in headers ? [''] : ['', '/', '?limit=x']) {
        const response = ask(route, headers, end);
        await expectUnauthorized(route.path, response);
        expect((await response).headers.get('www-authenticate')).toStartWith('Basic realm="skein"');
      }
    }
  }
}, 60_000);

test('every route accepts each kind of valid credentials', async () => {
  const { access_token } = await pairOf(service);
  for (const route of await protectedRoutes()) {
    for (const headers of [ANN, BOB, ROBOT, bearer(access_token), bearer(KEY)]) {
      const { status } = await ask(route, headers, QUERIES[`${route.method} ${route.path}`]);
      const reached = ![400, 401, 405].includes(status) && status < 500;
      expect({ ...route, status, reached }).toEqual({ ...route, status, reached: true });
    }
  }
}, 60_000);

test('an exempt route requires no credentials and ignores invalid ones', async () => {
  for (const route of (await routes()).filter(({ path }) => EXEMPT.includes(path))) {
    for (const headers of [{}, basic('ann', 'wrong')] as Record<string, string>[]) {
      const { status } = await ask(route, headers);
      // A login without a username is rejected as an invalid request.
      expect([route.path, status]).toEqual([
        route.path,
        route.method === 'POST' ? 400 : route.path === '/' ? 302 : 200,
      ]);
    }
  }
});

test('HEAD, a wrong method and an unknown path are protected too', async () => {
  for (const { path } of await protectedRoutes()) {
    expect((await ask({ method: 'HEAD', path, body: undefined })).status).toBe(401);
    const wrong = { method: 'PROPFIND', path, body: undefined };
    await expectUnauthorized(path, ask(wrong));
    const answer = await ask(wrong, ANN);
    if (isProtocol(path) || isMcp(path)) expect(answer.status).toBe(405);
    else expectRefused(await answerOf(Promise.resolve(answer)), 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).not.toBeNull();
  }
  for (const path of ['/nope', '/api/v1/nope', '/api/v1/health/x', '/livez/../nope', '/docs/x']) {
    const route = { method: 'GET', path, body: undefined };
    expectRefused(await answerOf(ask(route)), 401, 'UNAUTHORIZED');
    expectRefused(await answerOf(ask(route, ANN)), 404, 'NOT_FOUND');
  }
  const livez = { method: 'DELETE', path: '/livez', body: undefined };
  expectRefused(await answerOf(ask(livez)), 405, 'METHOD_NOT_ALLOWED');
});

test('on chat, the body is validated before the credentials, and the credentials before the workflow', async () => {
  const chat = { method: 'POST', path: '/api/v1/chat' };
  const broken: [string, string][] = [
    ['{', 'INVALID_JSON'],
    ['{}', 'INVALID_REQUEST'],
    ['{"user_prompt":"","conversation_flow":"x"}', 'INVALID_REQUEST'],
  ];
  for (const [body, code] of broken)
    for (const headers of [{}, basic('ann', 'wrong'), ANN] as Record<string, string>[])
      expectRefused(await answerOf(ask({ ...chat, body }, headers)), 400, code);
  const unknown = { ...chat, body: '{"user_prompt":"hi","conversation_flow":"nope"}' };
  expectRefused(await answerOf(ask(unknown)), 401, 'UNAUTHORIZED');
  expectRefused(await answerOf(ask(unknown, ANN)), 400, 'INVALID_WORKFLOW_TYPE');
});

test('on other routes, the credentials are checked before the body and the query', async () => {
  const feedback = { method: 'PUT', path: '/api/v1/messages/x/feedback' };
  for (const body of ['{', '[]', 'x'.repeat(2_000_000)])
    expectRefused(await answerOf(ask({ ...feedback, body })), 401, 'UNAUTHORIZED');
  const list = { method: 'GET', path: '/api/v1/threads', body: undefined };
  expectRefused(await answerOf(ask(list, {}, '?limit=1000')), 401, 'UNAUTHORIZED');
});
