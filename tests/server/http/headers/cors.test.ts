/** CORS and security headers. */
import { expect, test } from 'bun:test';
import { ANN, protectedConfig } from '../../support/credentials.ts';
import { runningProvider, runningService } from '../../support/running.ts';

const PAGE = 'https://app.example.org';
const provider = runningProvider();
const config = protectedConfig().replace(
  'web_configuration:',
  `web_configuration:\n  cors_origins: ["${PAGE}"]`,
);
const service = runningService(provider, config);
const closed = runningService(provider);
const open = runningService(provider, 'web_configuration: {cors_origins: ["*"]}');

const preflight = (at: typeof service, origin: string, path = '/api/v1/chat') =>
  at.fetch(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key',
    },
  });

test('a preflight of a listed origin is answered without credentials', async () => {
  const { status, headers } = await preflight(service, PAGE);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(PAGE);
  expect(headers.get('vary')).toStartWith('Origin');
  expect(headers.get('access-control-allow-methods')?.split(', ')).toContain('POST');
  const allowed = headers.get('access-control-allow-headers')?.split(', ') ?? [];
  for (const name of [
    'Idempotency-Key',
    'Last-Event-ID',
    'Prefer',
    'Authorization',
    'X-API-Key',
    'Content-Type',
  ])
    expect(allowed).toContain(name);
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  expect(headers.get('x-request-id')).not.toBeNull();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each(['https://evil.example.org', `${PAGE}.evil`, 'null', 'http://app.example.org', `${PAGE}:8443`, ''])(
  'another origin gets nothing: %p',
  async (origin) => {
    const preflighted = await preflight(service, origin);
    expect(preflighted.status).toBe(401);
    const answer = await service.fetch('/api/v1/threads', { headers: { ...ANN, origin } });
    expect(answer.status).toBe(200);
    for (const { headers } of [preflighted, answer]) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toStartWith('Origin');
    }
  },
);

test('responses, errors and streams can be read by a listed origin, with the relevant headers', async () => {
  const asks: [string, RequestInit, number][] = [
    ['/api/v1/threads', { headers: { ...ANN, origin: PAGE } }, 200],
    ['/api/v1/threads', { headers: { origin: PAGE } }, 401],
    ['/api/v1/threads', { headers: { ...ANN, origin: PAGE }, method: 'PUT' }, 405],
    ['/nope', { headers: { ...ANN, origin: PAGE } }, 404],
    ['/', { headers: { origin: PAGE }, redirect: 'manual' }, 302],
  ];
  const body = JSON.stringify({ user_prompt: 'hi', conversation_flow: 'classification-agent', stream: true });
  const json = { ...ANN, origin: PAGE, 'content-type': 'application/json' };
  asks.push(['/api/v1/chat', { method: 'POST', headers: json, body }, 200]);
  for (const [path, init, status] of asks) {
    const response = await service.fetch(path, init);
    await response.text();
    expect([path, response.status]).toEqual([path, status]);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? [];
    for (const name of ['X-Request-Id', 'Retry-After', 'Idempotency-Replayed'])
      expect(exposed).toContain(name);
  }
});

test('without origins in the settings there is no CORS; with * any origin is allowed', async () => {
  const refused = await preflight(closed, PAGE);
  expect(refused.status).toBe(405);
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect(refused.headers.get('vary') ?? '').not.toContain('Origin');
  expect((await preflight(open, 'null')).headers.get('access-control-allow-origin')).toBe('*');
});

test('no response can be framed, and no response of the API is a page', async () => {
  for (const path of ['/livez', '/docs', '/api/v1/health', '/nope', '/api/v1/threads']) {
    const { headers } = await closed.fetch(path);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    if (path.startsWith('/api'))
      expect(headers.get('content-security-policy')).toStartWith("default-src 'none'");
  }
});

test('a listed origin can send extra headers for graphs, and call a private network from the internet', async () => {
  const preflightFrom = (origin: string) =>
    service.fetch('/threads', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-user-plan, content-type, cookie',
        'access-control-request-private-network': 'true',
      },
    });
  const { headers } = await preflightFrom(PAGE);
  const allowed = headers.get('access-control-allow-headers')?.split(', ') ?? [];
  expect([allowed.includes('x-user-plan'), allowed.includes('cookie')]).toEqual([true, false]);
  expect(headers.get('access-control-allow-private-network')).toBe('true');
  expect(
    (await preflightFrom('https://evil.example.org')).headers.get('access-control-allow-private-network'),
  ).toBeNull();
});
