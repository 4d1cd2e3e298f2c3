/** Compressed responses in the encoding that the client requests. */
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { acceptedEncoding, compressed } from '../../../server/http/compression.ts';
import { posted, servedApp } from '../http-app/served-app.ts';
import { protectedConfig } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';

const provider = runningProvider();
const service = runningService(provider);

/** The response as it is on the wire. */
const ask = (path: string, accepted: string, init: RequestInit = {}) =>
  service.fetch(path, {
    ...init,
    headers: { ...(init.headers as object), 'accept-encoding': accepted },
    decompress: false,
  } as RequestInit);

const DECODERS = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (bytes: Uint8Array) => bytes,
};

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['*', 'zstd'],
  ['deflate', 'identity'],
  ['identity', 'identity'],
  ['gzip;q=0', 'identity'],
  ['', 'identity'],
] as const)("for '%s' JSON is sent as %s", async (accepted, encoding) => {
  const response = await ask('/api/v1/workflows', accepted);
  expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
  expect(response.headers.get('vary')).toBe('Accept-Encoding');
  const bytes = await response.bytes();
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  const { workflows } = JSON.parse(Buffer.from(DECODERS[encoding](bytes)).toString());
  expect(workflows.length).toBeGreaterThan(1);
});

test.each(['/openapi.json', '/docs', '/metrics', '/api/v1/diagnostic'])('%s is compressed', async (path) => {
  const plain = await (await ask(path, 'identity')).bytes();
  const response = await ask(path, 'gzip');
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect((await response.bytes()).length).toBeLessThan(plain.length / 2);
});

test('HEAD has the length of the compressed response', async () => {
  const head = await ask('/docs', 'gzip', { method: 'HEAD' });
  expect(head.headers.get('content-encoding')).toBe('gzip');
  const { length } = await (await ask('/docs', 'gzip')).bytes();
  expect(head.headers.get('content-length')).toBe(String(length));
});

test.each([
  ['a short answer', '/livez', {}],
  ['an error', '/nowhere', {}],
  [
    'a stream of events',
    '/api/v1/chat',
    posted({ user_prompt: 'hi', conversation_flow: 'classification-agent', stream: true }),
  ],
])('%s is not compressed', async (_, path, init) => {
  const response = await ask(path, 'gzip', init);
  expect(response.headers.get('content-encoding')).toBeNull();
  await response.text();
});

describe('with authentication', () => {
  const guarded = runningService(provider, protectedConfig());

  test('tokens are not compressed, because the length would leak information', async () => {
    const login = await guarded.fetch('/api/v1/auth/login', {
      ...posted({ username: 'nobody', password: 'x'.repeat(600) }),
      decompress: false,
    } as RequestInit);
    expect([login.status, login.headers.get('vary')]).toEqual([401, null]);
  });
});

describe('a response', () => {
  const request = new Request('http://localhost/x', { headers: { 'accept-encoding': 'gzip' } });
  const long = 'so it goes. '.repeat(150);
  const typed = (type: string, headers: Record<string, string> = {}) =>
    compressed(request, '/x', new Response(long, { headers: { 'content-type': type, ...headers } }));

  test.each([
    'text/plain',
    'text/markdown;charset=utf-8',
    'application/json',
    'application/problem+json',
    'image/svg+xml',
  ])('of type %s is compressed', async (type) => {
    const { headers } = await typed(type);
    expect([headers.get('content-encoding'), headers.get('content-type')]).toEqual(['gzip', type]);
  });

  test.each(['application/pdf', 'application/octet-stream', 'image/png', 'text/event-stream'])(
    'of type %s is unchanged',
    async (type) => expect((await typed(type)).headers.get('content-encoding')).toBeNull(),
  );

  test('that is already encoded, or is a stream, is unchanged', async () => {
    expect((await typed('text/plain', { 'content-encoding': 'br' })).headers.get('content-encoding')).toBe(
      'br',
    );
    const flowing = await typed('application/json', { 'x-accel-buffering': 'no' });
    expect(flowing.headers.get('content-encoding')).toBeNull();
  });

  test('keeps its status and its headers', async () => {
    const made = new Response(long, {
      status: 404,
      headers: { 'content-type': 'text/plain', vary: 'Origin' },
    });
    made.headers.append('set-cookie', 'a=1');
    made.headers.append('set-cookie', 'b=2');
    const { status, headers } = await compressed(request, '/x', made);
    expect([status, headers.get('vary'), headers.getSetCookie()]).toEqual([
      404,
      'Origin, Accept-Encoding',
      ['a=1', 'b=2'],
    ]);
  });

  test('that is long is compressed without blocking other requests', async () => {
    const large = crypto.getRandomValues(new Uint8Array(4 * 2 ** 20)).toHex();
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const began = performance.now();
    const packed = await compressed(
      request,
      '/x',
      new Response(large, { headers: { 'content-type': 'text/plain' } }),
    );
    const took = performance.now() - began;
    clearInterval(beat);
    expect(gunzipSync(await packed.bytes()).length).toBe(large.length);
    expect(longest).toBeLessThan(took / 2);
  });

  test('is not encoded for a client without Accept-Encoding', () => {
    expect(acceptedEncoding(new Request('http://localhost/x'), ['gzip'])).toBeUndefined();
  });
});

test("a project's own app decides about its own compression", async () => {
  const app = await servedApp(
    `import { Hono } from 'hono';
     export const app = new Hono().get('/mine', (c) => c.text('mine '.repeat(500)));`,
  );
  try {
    const get = (path: string) =>
      app.fetch(path, { headers: { 'accept-encoding': 'gzip' }, decompress: false } as RequestInit);
    expect((await get('/mine')).headers.get('content-encoding')).toBeNull();
    expect((await get('/api/v1/workflows')).headers.get('content-encoding')).toBe('gzip');
  } finally {
    await app.close();
  }
});
