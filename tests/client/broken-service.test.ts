/** How the stream handles a service that stops, is silent, sends invalid data or rejects requests. */
import { afterEach, expect, test } from 'bun:test';
import { followRun } from '../../client/client.ts';
import {
  chatAt,
  frame,
  RUN,
  refusal,
  type ScriptedService,
  scriptedService,
  stream,
  token,
} from './scripted-service.ts';
import { failureOf, QUICK } from './streams.ts';

let service: ScriptedService;
afterEach(() => service.close());

/** Sends the answers in order, and then repeats the last one. */
function answering(...answers: (() => Response)[]): ScriptedService {
  service = scriptedService((_, index) => (answers[index] ?? answers.at(-1))?.() ?? new Response());
  return service;
}

const begun = frame(1, 'run', RUN);
const rest = `${token(2)}${frame(3, 'end')}`;
const POST = 'POST /api/v1/chat';
const GET = 'GET /api/v1/runs/r/stream';
const idsOf = async (events: AsyncIterable<{ id: number }>) =>
  (await Array.fromAsync(events)).map(({ id }) => id);

const shuttingDown = `${frame(undefined, 'error', { error_code: 'SHUTTING_DOWN', message: 'x' })}${frame(undefined, 'end')}`;

test.each([
  ['a body that ends without an end event', () => stream(begun)],
  ['SHUTTING_DOWN, which is no event of the run', () => stream(begun + shuttingDown)],
  [
    'a log that cannot be read',
    () => stream(begun + frame(undefined, 'error', { error_code: 'INTERNAL_ERROR' })),
  ],
  ['data that is not JSON', () => stream(`${begun}id: 2\nevent: token\ndata: {"a\n\n`)],
  ['half an event', () => stream(`${begun}id: 2\nevent: token\ndata: {}\n`)],
  ['silence', () => stream(begun, { open: true })],
])('%s: the run is rejoined', async (_, first) => {
  answering(first, () => stream(rest));
  expect(await idsOf(chatAt(service.url, { silenceMs: 100 }))).toEqual([1, 2, 3]);
  expect(service.requestLines()).toEqual([POST, GET]);
  expect(service.seen[1]?.headers.get('last-event-id')).toBe('1');
});

test.each([
  ['another status of a gateway', () => new Response('bad gateway', { status: 502 })],
  ['a refusal that passes', () => refusal(503, 'OVERLOADED')],
  ['an answer that is no stream', () => Response.json({})],
  ['a stream without an event', () => stream('')],
  ['events that came before', () => stream(begun)],
])('%s while rejoining is retried', async (_, second) => {
  answering(
    () => stream(begun),
    second,
    second,
    () => stream(rest),
  );
  expect(await idsOf(chatAt(service.url))).toEqual([1, 2, 3]);
  expect(service.requestLines()).toEqual([POST, GET, GET, GET]);
});

test('heartbeats keep a connection alive, and a slow reader does not count as silence', async () => {
  service = scriptedService(async () => {
    async function* body() {
      yield begun + token(2);
      for (let beat = 0; beat < 6; beat++) {
        await Bun.sleep(50);
        yield ': heartbeat\n\n';
      }
      yield frame(3, 'end');
    }
    return new Response(body() as unknown as ReadableStream, {
      headers: { 'content-type': 'text/event-stream' },
    });
  });
  const ids: number[] = [];
  for await (const { id } of chatAt(service.url, { silenceMs: 150 })) {
    ids.push(id);
    if (id === 1) await Bun.sleep(200);
  }
  expect(ids).toEqual([1, 2, 3]);
  expect(service.requestLines()).toEqual([POST]);
});

test('a POST without a response is retried with the same idempotency key', async () => {
  answering(
    () => stream('', { open: true }),
    () => stream(begun + rest),
  );
  expect(await idsOf(chatAt(service.url, { silenceMs: 50 }))).toEqual([1, 2, 3]);
  const keys = service.seen.map(({ headers }) => headers.get('idempotency-key'));
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys).toEqual([keys[0] ?? '', keys[0] ?? '']);
  const bodies = service.seen.map(({ body }) => body);
  expect(bodies[0]).toBe(bodies[1] ?? '');
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ stream: true, on_disconnect: 'continue' });
});

test('a rejection of the first attempt is thrown with its details; after an attempt that may have arrived, it is retried', async () => {
  const busy = () => refusal(503, 'OVERLOADED', { 'retry-after': '1', 'x-request-id': 'header' });
  answering(busy);
  expect(await failureOf(chatAt(service.url))).toMatchObject({
    name: 'SkeinApiError',
    status: 503,
    code: 'OVERLOADED',
    message: 'OVERLOADED',
    requestId: 'q',
    retryAfter: 1,
  });
  expect(service.requestLines()).toEqual([POST]);
  await service.close();

  answering(
    () => stream(''),
    busy,
    () => stream(begun + rest),
  );
  const started = performance.now();
  expect(await idsOf(chatAt(service.url))).toEqual([1, 2, 3]);
  expect(performance.now() - started).toBeGreaterThanOrEqual(1_000);
});

test('a permanent rejection ends the attempts to reconnect', async () => {
  answering(
    () => stream(begun),
    () => refusal(401, 'UNAUTHORIZED'),
  );
  expect(await failureOf(chatAt(service.url))).toMatchObject({ name: 'SkeinApiError', status: 401 });
  expect(service.requestLines()).toEqual([POST, GET]);
});

test('headers are computed before each request, so credentials can be renewed', async () => {
  answering(
    () => stream(begun),
    () => stream(rest),
  );
  let tokens = 0;
  await Array.fromAsync(
    chatAt(service.url, { headers: async () => ({ authorization: `Bearer ${++tokens}` }) }),
  );
  expect(service.seen.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer 1', 'Bearer 2']);
});

test('if the credentials cannot be computed, the call fails immediately', async () => {
  answering(() => stream(begun));
  const headers = () => Promise.reject(new Error('signed out'));
  expect(await failureOf(chatAt(service.url, { headers }))).toMatchObject({ message: 'signed out' });
});

test('a base URL may have a path and a trailing slash', async () => {
  answering(() => stream(begun + rest));
  await Array.fromAsync(followRun(`${service.url}/skein/`, 'a/b', QUICK));
  expect(service.requestLines()).toEqual(['GET /skein/api/v1/runs/a%2Fb/stream']);
});
