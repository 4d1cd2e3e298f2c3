/** A caller that stops reading: its run is cancelled, unless it should continue or has ended. */
import { afterEach, expect, test } from 'bun:test';
import { followRun, streamChat, streamResume } from '../../client/client.ts';
import { until } from '../server/support/until.ts';
import { frame, RUN, type ScriptedService, scriptedService, stream, token } from './scripted-service.ts';
import { ASKED, failureOf, QUICK } from './streams.ts';

const CANCEL = 'POST /api/v1/runs/r/cancel';
const begun = frame(1, 'run', RUN) + token(2);

let service: ScriptedService;
afterEach(() => service.close());

/** Streams the text and stays open; accepts cancellations. */
function streaming(text: string): ScriptedService {
  service = scriptedService(({ path, headers }) => {
    if (path.endsWith('/cancel')) return Response.json({});
    if (headers.get('prefer') === 'respond-async') return Response.json(RUN, { status: 202 });
    return stream(text, { open: true });
  });
  return service;
}

const cancels = () => service.requestLines().filter((line) => line === CANCEL).length;

test('breaking out of the loop cancels the run before the loop ends', async () => {
  streaming(begun);
  for await (const { event } of streamChat(service.url, ASKED, QUICK)) if (event === 'token') break;
  expect(service.requestLines()).toEqual(['POST /api/v1/chat', CANCEL]);
});

test('an error in the loop cancels the run', async () => {
  streaming(begun);
  const failing = (async () => {
    for await (const _ of streamChat(service.url, ASKED, QUICK)) throw new Error('mine');
  })();
  expect(await failing.catch(({ message }) => message)).toBe('mine');
  expect(cancels()).toBe(1);
});

test('a signal cancels the run while no events arrive, and its reason is thrown', async () => {
  streaming(begun);
  const stop = new AbortController();
  const failing = (async () => {
    for await (const { event } of streamChat(service.url, ASKED, { ...QUICK, signal: stop.signal }))
      if (event === 'token') setTimeout(() => stop.abort(), 5);
  })();
  expect(await failing.catch(({ name }) => name)).toBe('AbortError');
  await until(() => cancels() === 1);
});

test('when a signal has ended the loop, the run is cancelled', async () => {
  const cancelled = Promise.withResolvers<Response>();
  service = scriptedService(({ path }) =>
    path.endsWith('/cancel') ? cancelled.promise : stream(begun, { open: true }),
  );
  const stop = new AbortController();
  const left = (async () => {
    for await (const { event } of streamChat(service.url, ASKED, { ...QUICK, signal: stop.signal }))
      if (event === 'token') setTimeout(() => stop.abort(), 5);
  })().catch(({ name }) => name);
  await until(() => cancels() === 1);
  expect(Bun.peek.status(left)).toBe('pending');
  cancelled.resolve(Response.json({}));
  expect(await left).toBe('AbortError');
});

test('a signal cancels the run immediately, even while the caller processes an event', async () => {
  streaming(begun);
  const stop = new AbortController();
  const events = streamChat(service.url, ASKED, { ...QUICK, signal: stop.signal });
  await events.next();
  stop.abort(new Error('enough'));
  await until(() => cancels() === 1);
  expect(await events.next().catch(({ message }) => message)).toBe('enough');
  expect(cancels()).toBe(1);
});

test('if the signal aborts before the run id is known, the idempotency key finds the run to cancel', async () => {
  streaming('');
  const stop = new AbortController();
  const failing = failureOf(streamChat(service.url, ASKED, { ...QUICK, signal: stop.signal }));
  await until(() => service.seen.length === 1);
  stop.abort();
  expect(await failing).toMatchObject({ name: 'AbortError' });
  await until(() => cancels() === 1);
  const [first, second] = service.seen;
  expect(second?.headers.get('idempotency-key')).toBe(first?.headers.get('idempotency-key') ?? 'none');
  expect(second?.body).toBe(first?.body ?? 'none');
});

test('with a signal that is already aborted, nothing is sent', async () => {
  streaming(begun);
  const signal = AbortSignal.abort();
  expect(await failureOf(streamChat(service.url, ASKED, { signal }))).toMatchObject({ name: 'AbortError' });
  expect(service.seen).toEqual([]);
});

test('a cancellation that fails with a bad gateway is retried', async () => {
  let failures = 2;
  service = scriptedService(({ path }) => {
    if (!path.endsWith('/cancel')) return stream(begun, { open: true });
    return failures-- > 0 ? new Response('', { status: 502 }) : Response.json({});
  });
  for await (const { event } of streamChat(service.url, ASKED, QUICK)) if (event === 'token') break;
  expect(cancels()).toBe(3);
});

test.each(['interrupt', 'response', 'error'])('nothing is cancelled after the event %s', async (outcome) => {
  streaming(begun + frame(3, outcome, { interrupt_id: 'i', value: 1 }));
  for await (const { event } of streamChat(service.url, ASKED, QUICK)) if (event === outcome) break;
  expect(cancels()).toBe(0);
});

test('with on_disconnect: continue, the run is not cancelled', async () => {
  streaming(begun);
  const request = { ...ASKED, on_disconnect: 'continue' as const };
  for await (const { event } of streamChat(service.url, request, QUICK)) if (event === 'token') break;
  expect(service.requestLines()).toEqual(['POST /api/v1/chat']);
});

test("leaving the stream of a followed run doesn't cancel the run", async () => {
  streaming(begun);
  for await (const { event } of followRun(service.url, 'r', QUICK)) if (event === 'token') break;
  expect(service.requestLines()).toEqual(['GET /api/v1/runs/r/stream']);
});

test('a resumed run is cancelled like any other', async () => {
  streaming(begun);
  for await (const { event } of streamResume(service.url, 'a:b', { value: true }, QUICK))
    if (event === 'token') break;
  expect(service.requestLines()).toEqual(['POST /api/v1/threads/a%3Ab/resume', CANCEL]);
  expect(JSON.parse(service.seen[0]?.body ?? '')).toMatchObject({ value: true, stream: true });
});
