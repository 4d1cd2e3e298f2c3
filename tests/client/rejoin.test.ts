/** Streams through a proxy that cuts connections: each event arrives once and in order. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { followRun, type RunStreamEvent, SkeinApiError, streamChat } from '../../client/client.ts';
import { echoing, questionOf } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { storedIn } from '../server/support/stored.ts';
import type { ChatRequest } from '../support/provider.ts';
import { afterEvent, atByte, type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';
import { randomOf } from './random.ts';
import { ASKED, expectWhole, failureOf, QUICK } from './streams.ts';

const provider = runningProvider();
const service = runningService(provider);
const ANSWER = `re: ${ASKED.user_prompt}`;

let proxy: CuttingProxy;
beforeAll(() => {
  proxy = cuttingProxy(service.url);
});
afterAll(() => proxy.close());

const chat = () => streamChat(proxy.url, ASKED, QUICK);

async function wholeChat(): Promise<RunStreamEvent[]> {
  const events = await Array.fromAsync(chat());
  expectWhole(events, ANSWER);
  return events;
}

const runIdOf = (events: RunStreamEvent[]) => (events[0]?.event === 'run' ? events[0].data.run_id : '');

test('a chat is complete if its connection breaks after any event or within one', async () => {
  const { length } = await wholeChat();
  let rejoined = 0;
  for (let count = 0; count < length; count++) {
    for (const bytes of [0, 1, 20]) {
      proxy.cuts = [afterEvent(count, bytes)];
      const before = proxy.requests.length;
      await wholeChat();
      const [first, second] = proxy.requests.slice(before);
      expect(first).toStartWith('POST /api/v1/chat ');
      const lastId = /^GET \/api\/v1\/runs\/[0-9a-f-]+\/stream .*^last-event-id: (\d+)/ims.exec(
        second ?? '',
      )?.[1];
      // Bytes that arrive together with the cut may be lost; then the client repeats the request or continues from an earlier event.
      if (lastId === undefined) expect(second).toStartWith('POST /api/v1/chat ');
      else expect(Number(lastId)).toBeLessThanOrEqual(count);
      if (lastId === `${count}`) rejoined++;
    }
  }
  expect(rejoined).toBeGreaterThan(length);
});

test('a stream is complete if every connection breaks at a random byte', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  const random = randomOf(seed);
  const known = await wholeChat();
  for (let round = 0; round < 30; round++) {
    // Enough for the response headers and one or two events, at most for the whole response.
    proxy.cuts = Array.from({ length: 12 }, () => atByte(Math.floor(random() * 2_500)));
    expect(await Array.fromAsync(followRun(proxy.url, runIdOf(known), QUICK))).toEqual(known);
  }
  proxy.cuts = [];
});

test('a run can be followed from any event; after its end, there are no events', async () => {
  const known = await wholeChat();
  for (let after = 0; after <= known.length; after++) {
    const events = await Array.fromAsync(followRun(proxy.url, runIdOf(known), { ...QUICK, after }));
    expect(events).toEqual(known.slice(after));
  }
});

test('a request whose response is lost is retried with the same key, which starts only one run', async () => {
  const runs = async () => (await storedIn(service.folder)).runs.length;
  const before = await runs();
  proxy.cuts = [atByte(0), atByte(0), atByte(20)];
  await wholeChat();
  expect(await runs()).toBe(before + 1);
  expect(provider.requests.length).toBe(2);
});

test('the stream fails after the maximum number of attempts if the service cannot be reached', async () => {
  const unreachable = cuttingProxy('http://127.0.0.1:9');
  const retry = { ...QUICK.retry, startAttempts: 2 };
  const error = await failureOf(streamChat(unreachable.url, ASKED, { ...QUICK, retry }));
  expect(error).toMatchObject({ name: 'StreamLostError', runId: undefined, lastEventId: 0 });
  expect(unreachable.requests.length).toBe(3);
  unreachable.close();
});

test('if the client gives up on a run, the error has what a later call needs to continue', async () => {
  const door = cuttingProxy(service.url);
  const events: RunStreamEvent[] = [];
  const held = Promise.withResolvers<void>();
  provider.script = echoing({
    answer: (request: ChatRequest) => held.promise.then(() => `re: ${questionOf(request)}`),
  });
  const retry = { ...QUICK.retry, rejoinAttempts: 3 };
  const lost = (async () => {
    for await (const event of streamChat(door.url, ASKED, { ...QUICK, retry })) {
      events.push(event);
      if (event.id === 2) door.close();
    }
  })();
  const error = await lost.catch((error) => error);
  expect(error).toMatchObject({ name: 'StreamLostError', runId: runIdOf(events) });
  held.resolve();
  const { runId, lastEventId: after } = error;
  for await (const event of followRun(proxy.url, runId, { ...QUICK, after })) events.push(event);
  expectWhole(events, ANSWER);
});

test.each([
  [{ ...ASKED, conversation_flow: 'nothing' }, 400, 'INVALID_WORKFLOW_TYPE'],
  [{ ...ASKED, user_prompt: ' ' }, 400, 'INVALID_REQUEST'],
] as const)('a refusal is thrown at once: %j', async (request, status, code) => {
  const before = proxy.requests.length;
  const error = await failureOf(streamChat(proxy.url, request, QUICK));
  expect(error).toBeInstanceOf(SkeinApiError);
  expect(error).toMatchObject({ status, code, detail: expect.any(String), requestId: expect.any(String) });
  expect(proxy.requests.length).toBe(before + 1);
});

test('an unknown run is rejected', async () => {
  const error = await failureOf(followRun(proxy.url, 'none', QUICK));
  expect(error).toMatchObject({ name: 'SkeinApiError', status: 404, code: 'RUN_NOT_FOUND' });
});

test('an invalid address fails immediately', () => {
  expect(() => streamChat('http://:x', ASKED)).toThrow(TypeError);
});

test('a run that fails is an event, not an exception', async () => {
  provider.script = () => Response.json({ error: { message: 'no' } }, { status: 400 });
  const events = await Array.fromAsync(chat());
  const error = events.at(-2);
  expect(error?.event === 'error' && error.data.error_code).toBe('MODEL_CALL_FAILED');
  expect(events.at(-1)?.event).toBe('end');
});

test('an aborted stream throws the reason of its signal', async () => {
  const held = Promise.withResolvers<string>();
  provider.script = echoing({ answer: () => held.promise });
  const stop = new AbortController();
  const stream = streamChat(service.url, ASKED, { ...QUICK, signal: stop.signal });
  const failing = (async () => {
    for await (const { id } of stream) if (id === 2) stop.abort(new Error('enough'));
  })();
  expect(await failing.catch(({ message }) => message)).toBe('enough');
  held.resolve('late');
});
