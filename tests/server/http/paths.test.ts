/** Methods, paths and headers that all endpoints share. */
import { describe, expect, test } from 'bun:test';
import type { Answer } from '../../support/service.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { answerOf, expectA2ARefused, expectOpenAIRefused, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

const provider = runningProvider();
const service = runningService(provider);

const READABLE = [
  '/api/v1/health',
  '/api/v1/threads',
  '/api/v1/runs',
  '/api/v1/workflows',
  '/api/v1/workflow-status/classification-agent',
].concat([
  '/api/v1/workflows/classification-agent/graph',
  '/api/v1/diagnostic',
  '/livez',
  '/readyz',
  '/docs',
  '/openapi.json',
]);
const OTHERS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/** MCP's errors are inside a JSON-RPC object. */
const plain = (answer: Answer): Answer => ({ ...answer, body: answer.body.error?.data ?? answer.body });

const ask = (path: string, init: RequestInit = {}) => service.fetch(path, { redirect: 'manual', ...init });

describe('methods', () => {
  test('every documented path responds with 405 and Allow to every other method', async () => {
    const { paths } = (await (await ask('/openapi.json')).json()) as { paths: Record<string, object> };
    expect(Object.keys(paths)).toContain('/api/v1/chat');
    for (const path of Object.keys(paths)) {
      const url = path.replaceAll(/\{[^}]+\}/g, 'x');
      const served = servedAt(paths, url);
      // `/threads/search` allows POST alone, while GET on it reaches `/threads/{thread_id}`.
      const fewest = Math.min(...served.map(({ parameters }) => parameters));
      const own = served.filter(({ parameters }) => parameters === fewest);
      const allowed = [...new Set(own.flatMap(({ methods }) => methods))];
      const answered = served.flatMap(({ methods }) => methods);
      for (const method of OTHERS.filter((other) => !answered.includes(other))) {
        const answer = await ask(url, { method });
        // LangGraph's paths respond with text.
        if (path.startsWith('/v1/'))
          await expectOpenAIRefused(Promise.resolve(answer), 405, 'METHOD_NOT_ALLOWED');
        else if (path === '/a2a/{workflow}')
          await expectA2ARefused(Promise.resolve(answer), 405, 'METHOD_NOT_ALLOWED');
        else if (answer.headers.get('content-type')?.startsWith('text/plain'))
          expect(answer.status).toBe(405);
        else expectRefused(plain(await answerOf(Promise.resolve(answer))), 405, 'METHOD_NOT_ALLOWED');
        expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted());
      }
    }
  });

  test.each(READABLE.concat('/', '/nope', '/api/v1/workflow-status/nope', '/api/v1/messages/m/feedback'))(
    'HEAD %s responds like GET, without the body',
    async (path) => {
      const [get, head] = await Promise.all([ask(path), ask(path, { method: 'HEAD' })]);
      expect({ status: head.status, body: await head.text() }).toEqual({ status: get.status, body: '' });
      // Measured values differ each time, so their length does too.
      const fixed =
        path.startsWith('/api/v1/health') || path.startsWith('/api/v1/diagnostic') ? [] : ['content-length'];
      for (const name of ['x-content-type-options', 'cache-control', 'location', ...fixed]) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
    },
  );

  test.each(['PUT', 'PROPFIND'])(
    '%s on a list answers 405, also if it names another caller',
    async (method) => {
      const answer = await answerOf(ask('/api/v1/threads?owner=another', { method }));
      expectRefused(answer, 405, 'METHOD_NOT_ALLOWED');
    },
  );

  test.each(['/assistants', '/runs/crons', '/threads'])('%s/count answers a number as JSON', async (path) => {
    const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const answer = await ask(`${path}/count`, body);
    expect(answer.headers.get('content-type')).toStartWith('application/json');
    expect(await answer.json()).toBeNumber();
  });

  test('HEAD on a route without GET gets 405', async () => {
    const response = await ask('/api/v1/chat', { method: 'HEAD' });
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'POST',
    });
  });
});

describe('paths', () => {
  const UNKNOWN = [
    '/nope',
    '/api',
    '/api/v1',
    '/api/v2/chat',
    '/api/v1//health',
    '/API/V1/HEALTH',
    '/api/v1/work%66lows',
  ];

  test.each([
    ...UNKNOWN,
    '/api/v1/workflow-status',
    '/api/v1/health/x',
    '/livez/../nope',
    '/%00',
    '/docs/..%2f..%2fetc',
  ])('%s is not found', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expectRefused(await answerOf(ask(path, { method })), 404, 'NOT_FOUND');
    }
  });

  test.each(READABLE)('%s may end with a slash', async (path) => {
    expect((await ask(`${path}/`)).status).toBe(200);
  });

  test('a parameter is decoded once', async () => {
    expect((await ask('/api/v1/workflow-status/classification%2Dagent')).status).toBe(200);
    for (const name of [
      'classification%252Dagent',
      '..%2f..%2fetc%2fpasswd',
      '%00',
      '%F0%9F%9A%B2',
      'constructor',
    ]) {
      expectRefused(await answerOf(ask(`/api/v1/workflow-status/${name}`)), 404, 'WORKFLOW_NOT_FOUND');
    }
  });

  test.each(['%', '%E0%A4%A', '%zz', '%ff'])(
    'a parameter that cannot be decoded is rejected: %p',
    async (name) => {
      expectRefused(await answerOf(ask(`/api/v1/workflow-status/${name}`)), 400, 'INVALID_REQUEST');
      expectRefused(await answerOf(ask(`/api/v1/messages/${name}/feedback`)), 400, 'INVALID_REQUEST');
    },
  );

  test.each([
    'HTTP/1.0\r\n',
    'HTTP/1.1\r\nHost:\r\n',
    'HTTP/1.1\r\nHost: a\r\n',
    'HTTP/1.1\r\nHost: web:80\r\n',
    'HTTP/1.1\r\nHost: [\r\n',
  ])('the path is found with any Host header: %p', async (end) => {
    const socket = await rawSocket(service);
    await socket.send(`GET /api/v1/workflow-status/nope ${end}\r\n`);
    expectRefused(await socket.answer(), 404, 'WORKFLOW_NOT_FOUND');
    socket.close();
  });
});

/** The documented paths that match: /threads/search can also be the thread with that id. */
function servedAt(paths: Record<string, object>, url: string) {
  return Object.entries(paths).flatMap(([path, operations]) => {
    const parts = path.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)));
    if (!new RegExp(`^${parts.join('/')}$`).test(url)) return [];
    return [{ methods: methodsOf(operations), parameters: path.split('{').length - 1 }];
  });
}

function methodsOf(operations: object): string[] {
  const methods = Object.keys(operations).map((name) => name.toUpperCase());
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}
