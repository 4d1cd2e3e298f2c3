/** The headers of every response, including errors: request id, trace context and security headers. */
import { expect, test } from 'bun:test';
import { echoing, failure } from '../../support/calls.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { storedIn } from '../../support/stored.ts';

const provider = runningProvider();
const service = runningService(provider);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

type Ask = (headers: Record<string, string>) => Promise<Response>;

const chat =
  (body: object, type = 'application/json'): Ask =>
  (headers) => {
    const all = { 'content-type': type, ...headers };
    return service.fetch('/api/v1/chat', { method: 'POST', headers: all, body: JSON.stringify(body) });
  };
const request =
  (method: string, path: string): Ask =>
  (headers) =>
    service.fetch(path, { method, headers, redirect: 'manual' });

const GOOD = { user_prompt: 'hi', conversation_flow: 'classification-agent' };
const ASKS: [string, number, Ask][] = [
  ['an answer', 200, chat(GOOD)],
  ['an invalid body', 400, chat({})],
  ['a body of another type', 400, chat(GOOD, 'text/plain')],
  ['a body that is too large', 413, chat({ user_prompt: 'x'.repeat(5_000_000) })],
  ['an unknown workflow', 400, chat({ ...GOOD, conversation_flow: 'nope' })],
  ['a run that failed', 500, chat({ ...GOOD, user_prompt: 'fail' })],
  ['an unknown path under /api', 404, request('GET', '/api/nope')],
  ['an unknown path', 404, request('GET', '/nope')],
  ['an unknown thing', 404, request('GET', '/api/v1/workflow-status/nope')],
  ['a wrong method', 405, request('DELETE', '/api/v1/chat')],
  ['HEAD', 200, request('HEAD', '/api/v1/health')],
  ['a text', 200, request('GET', '/livez')],
  ['a page', 200, request('GET', '/docs')],
  ['a redirect', 302, request('GET', '/')],
  ['a picture', 200, request('GET', '/api/v1/workflows/classification-agent/graph?format=svg')],
];

for (const [name, status, ask] of ASKS) {
  test(`${name} carries them all`, async () => {
    provider.script = status === 500 ? () => failure(400) : echoing();
    const sent = { 'x-request-id': 'My.request-1_a', traceparent: `00-${TRACE}-${PARENT}-01` };
    const response = await ask(sent);
    const { headers, url } = response;
    expect(response.status).toBe(status);
    expect(headers.get('x-request-id')).toBe('My.request-1_a');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe(new URL(url).pathname.startsWith('/api') ? 'no-store' : null);
    const [version, trace, span, flags] = headers.get('traceparent')?.split('-') ?? [];
    expect({ version, trace, flags }).toEqual({ version: '00', trace: TRACE, flags: '01' });
    expect(span).toMatch(/^[0-9a-f]{16}$/);
    expect(span).not.toBe(PARENT);
  });
}

test.each(['', ' ', 'a b', 'é', 'x'.repeat(129), '<script>', 'a/b', 'a\tb'])(
  'the request id %p is replaced by a new one',
  async (id) => {
    const ids = [];
    for (let round = 0; round < 2; round++)
      ids.push((await request('GET', '/livez')({ 'x-request-id': id })).headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1] ?? '');
  },
);

test('the longest valid request id is kept and stored with its run', async () => {
  const id = 'x'.repeat(128);
  expect((await chat(GOOD)({ 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
  expect((await storedIn(service.folder)).runs.at(-1)?.request).toContain(id);
});

test.each([
  '',
  'canary',
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${PARENT}-01`,
])('an invalid traceparent is not continued: %p', async (traceparent) => {
  expect((await request('GET', '/livez')({ traceparent })).headers.get('traceparent')).toBeNull();
});

test("the provider's call belongs to the caller's trace, below the span of the answer", async () => {
  provider.requests.length = 0;
  provider.headers.length = 0;
  provider.script = echoing();
  const { headers } = await chat(GOOD)({ traceparent: `00-${TRACE}-${PARENT}-01` });
  const own = headers.get('traceparent');
  expect(own).toStartWith(`00-${TRACE}-`);
  expect(provider.headers.length).toBeGreaterThan(0);
  for (const sent of provider.headers) expect(sent.get('traceparent')).toBe(own);
});
