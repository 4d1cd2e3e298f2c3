/** Streaming chat: all events of the run, numbered, in real time, and always with an end. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { allEvents, eventsOf, type SentEvent, tokensOf } from '../../support/events.ts';
import { chunk, eventStream, USAGE } from '../../support/provider.ts';
import { echoing, failure } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider);

const post = (body: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: 'hi', ...body }),
    signal,
  });

const kinds = (events: SentEvent[]) => events.map(({ event, data }) => data.state ?? event);
const numbers = (events: SentEvent[]) => events.map(({ id }) => id);
const counting = (length: number, first = 1) => Array.from({ length }, (_, index) => first + index);

/** An answer of the provider that is sent word by word, controlled by the test. */
function controlledAnswer() {
  const head = { id: 'c', created: 1, model: 'm' };
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk(head, { choices: [{ index: 0, delta, finish_reason }] });
  let out: ReadableStreamDefaultController<string> | undefined;
  const body = new ReadableStream<string>({
    start(controller) {
      out = controller;
    },
  });
  const send = (text: string) => out?.enqueue(text);
  return {
    reply: () => eventStream(body.pipeThrough(new TextEncoderStream())),
    say: (content: string) => send(choice({ content })),
    /** The connection ends before the answer does. */
    break: () => out?.close(),
    end() {
      send(choice({}, 'stop') + chunk(head, { choices: [], usage: USAGE }));
      send('data: [DONE]\n\n');
      out?.close();
    },
  };
}

test('a stream starts with the run, then has each agent with its tokens, the response and the end', async () => {
  const response = await post({ stream: true, thread_id: 'whole', topic: 't' });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/./),
  });
  expect(response.headers.has('content-encoding')).toBe(false);
  const events = await allEvents(response);
  expect(kinds(events.filter(({ event }) => event !== 'token'))).toEqual([
    ...['run', 'started', 'finished', 'started', 'finished', 'response', 'end'],
  ]);
  expect(numbers(events)).toEqual(counting(events.length));
  const { run_id, thread_id, message_id } = events[0]?.data ?? {};
  expect(events[0]?.data).toEqual({
    run_id,
    thread_id: 'whole',
    message_id,
    workflow: 'classification-agent',
  });
  expect(events[1]?.data).toEqual({
    ...{ agent: 'classification_agent', path: [], state: 'started' },
    ...{ attempt: 1, execution: 1, task_id: expect.any(String), from: ['__start__'] },
  });
  expect(tokensOf(events, 'classification_agent')).toBe('');
  expect(tokensOf(events, 'support_responder')).toBe('re: hi');
  const answer = events.at(-2)?.data;
  expect(answer).toMatchObject({ run_id, thread_id, message_id, topic: 't', token_count: 60 });
  expect(answer.agent_response).toContain('support_responder: re: hi');
  expect(events.at(-1)?.data).toEqual({});
});

test('the first token arrives while the provider is still streaming', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const events = eventsOf(await post({ stream: true }));
  await until(() => provider.requests.length === 2);
  answer.say('First ');
  let seen: SentEvent | undefined;
  while (seen?.event !== 'token') seen = (await events.next()).value as SentEvent;
  expect(seen.data).toEqual({ agent: 'support_responder', text: 'First ' });
  answer.say('and ');
  answer.say('last.');
  answer.end();
  const rest = await Array.fromAsync(events);
  expect(tokensOf([seen, ...rest], 'support_responder')).toBe('First and last.');
  expect(numbers(rest)).toEqual(counting(rest.length, seen.id + 1));
});

test('a queued run reports its ids immediately', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const first = post({ thread_id: 'line' });
  await until(() => provider.requests.length === 2);
  const events = eventsOf(await post({ thread_id: 'line', stream: true }));
  expect(((await events.next()).value as SentEvent).event).toBe('run');
  provider.script = echoing();
  answer.say('done');
  answer.end();
  expect((await first).status).toBe(200);
  expect((await Array.fromAsync(events)).at(-1)?.event).toBe('end');
});

test('a run that fails has an error and an end, and no response', async () => {
  provider.script = echoing({ answer: failure(400) });
  const events = await allEvents(await post({ stream: true }, { 'x-request-id': 'failing' }));
  expect(kinds(events)).toEqual(['run', 'started', 'finished', 'started', 'failed', 'error', 'end']);
  expect(events.at(-2)?.data).toMatchObject({
    status: 'error',
    error_code: 'MODEL_CALL_FAILED',
    request_id: 'failing',
  });
  expect(numbers(events)).toEqual(counting(events.length));
});

test('the call is repeated if the provider stops in the middle, and the partial text is discarded', async () => {
  const half = controlledAnswer();
  let calls = 0;
  provider.script = echoing({ answer: () => (calls++ === 0 ? half.reply() : 'Right.') });
  const events = eventsOf(await post({ stream: true }));
  await until(() => calls === 1);
  half.say('Wrong ');
  const received: SentEvent[] = [];
  while (received.at(-1)?.event !== 'token') received.push((await events.next()).value as SentEvent);
  half.break();
  received.push(...(await Array.fromAsync(events)));
  const attempts = received.filter(
    ({ data }) => data.agent === 'support_responder' && data.state === 'started',
  );
  expect(attempts.map(({ data }) => data.attempt)).toEqual([1, 2]);
  expect(tokensOf(received, 'support_responder')).toBe('Right.');
  expect(received.at(-2)?.data.agent_response).toEndWith('Right.');
});

test('errors before the first event are ordinary responses', async () => {
  expectRefused(
    await service.chat({ user_prompt: 'x', conversation_flow: 'nope', stream: true }),
    400,
    'INVALID_WORKFLOW_TYPE',
  );
});

test('Accept requests a stream, the body takes precedence over it, and Prefer over both', async () => {
  const typeOf = async (body: object, headers: Record<string, string>) => {
    const response = await post(body, headers);
    await response.text();
    return `${response.status} ${response.headers.get('content-type')?.split(';')[0]}`;
  };
  const accept = { accept: 'text/event-stream' };
  expect(await typeOf({}, accept)).toBe('200 text/event-stream');
  expect(await typeOf({ stream: false }, accept)).toBe('200 application/json');
  expect(await typeOf({ stream: true }, { prefer: 'wait=1, respond-async' })).toBe('202 application/json');
  expect(await typeOf({}, { accept: 'application/json' })).toBe('200 application/json');
});

test('respond-async returns the location, and the run continues when its client has disconnected', async () => {
  const response = await post({ thread_id: 'async' }, { prefer: 'respond-async' });
  const { run_id, thread_id, message_id } = (await response.json()) as Record<string, string>;
  expect(response.headers.get('location')).toBe(`/api/v1/runs/${run_id}`);
  expect({ thread_id, message_id }).toEqual({ thread_id: 'async', message_id: expect.stringMatching(/-/) });
  const events = await allEvents(await service.fetch(`/api/v1/runs/${run_id}/stream`));
  expect(events.at(-2)?.data).toMatchObject({ run_id, message_id, thread_id: 'async' });
});

test('a client that disconnects at any moment cancels its stream, and the partial text is stored separately', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const client = new AbortController();
  const events = eventsOf(await post({ stream: true, thread_id: 'left' }, {}, client.signal));
  await until(() => provider.requests.length === 2);
  answer.say('Half of it');
  let seen: SentEvent | undefined;
  while (seen?.event !== 'token') seen = (await events.next()).value as SentEvent;
  client.abort();
  await until(() => provider.aborted === 1, 1_000);
  await until(async () => (await storedIn(service.folder)).runs.at(-1)?.status === 'cancelled', 1_000);
  expect((await storedIn(service.folder)).messages.at(-1)).toMatchObject({
    role: 'assistant',
    content: 'Half of it',
  });
  provider.script = echoing();
  await service.chat({ user_prompt: 'next', thread_id: 'left' });
  expect(provider.requests.at(-1)?.messages.slice(1)).toEqual([{ role: 'user', content: 'next' }]);
});

for (const milliseconds of [0, 50, 500])
  test(`a client that disconnects after ${milliseconds} ms leaves nothing running`, async () => {
    provider.script = echoing({ answer: () => new Promise(() => {}) });
    const client = new AbortController();
    const call = post({ stream: true }, {}, client.signal).catch(() => undefined);
    await Bun.sleep(milliseconds);
    client.abort();
    await call;
    await until(async () => {
      const { components } = (await (await service.fetch('/api/v1/health')).json()) as {
        components: { runs: { running: number } };
      };
      return components.runs.running === 0;
    }, 1_500);
  });

test('with on_disconnect: continue, a streamed run continues and can be joined again', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const client = new AbortController();
  const asking = post({ stream: true, on_disconnect: 'continue' }, {}, client.signal);
  const events = eventsOf(await asking);
  const { data } = (await events.next()).value as SentEvent;
  await until(() => provider.requests.length === 2);
  client.abort();
  answer.say('Still here.');
  answer.end();
  const rest = await allEvents(
    await service.fetch(`/api/v1/runs/${data.run_id}/stream`, { headers: { 'last-event-id': '1' } }),
  );
  expect(numbers(rest)).toEqual(counting(rest.length, 2));
  // Sent after the client had disconnected, so the call was not aborted.
  expect(tokensOf(rest, 'support_responder')).toBe('Still here.');
});

test('any number of clients get each event once, from any event on, during the run and after it', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const started = await post({}, { prefer: 'respond-async' });
  const { run_id } = (await started.json()) as { run_id: string };
  await until(() => provider.requests.length === 2);
  const join = async (after: number) =>
    allEvents(
      await service.fetch(`/api/v1/runs/${run_id}/stream`, { headers: { 'last-event-id': String(after) } }),
    );
  const early = Array.from({ length: 40 }, (_, index) => join(index % 6));
  const words = Array.from({ length: 60 }, (_, index) => `w${index} `);
  for (const [index, word] of words.entries()) {
    answer.say(word);
    if (index % 10 === 0) await Bun.sleep(25);
    if (index === 30) early.push(...Array.from({ length: 20 }, () => join(0)));
  }
  answer.end();
  const streams = await Promise.all(early);
  const all = await join(0);
  expect(tokensOf(all, 'support_responder')).toBe(words.join(''));
  for (const events of streams) expect(events).toEqual(all.slice((events[0]?.id ?? 1) - 1));
  expect(streams.filter((events) => events.length === all.length).length).toBeGreaterThanOrEqual(20);
  expect(await join(all.length)).toEqual([]);
});

test('a client that reads a byte per second delays no other, and gets every event when it continues', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const { run_id } = (await (await post({}, { prefer: 'respond-async' })).json()) as { run_id: string };
  await until(() => provider.requests.length === 2);
  const { port } = new URL(service.url);
  const slow = connect(Number(port), '127.0.0.1');
  slow.write(`GET /api/v1/runs/${run_id}/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => slow.once('readable', resolve));
  const bytes: Buffer[] = [];
  const reading = setInterval(() => bytes.push(slow.read(1) ?? Buffer.alloc(0)), 1_000);
  const word = 'word '.repeat(2_000);
  for (let sent = 0; sent < 600; sent++) {
    answer.say(word);
    if (sent % 20 === 0) await Bun.sleep(1);
  }
  answer.end();
  const events = await allEvents(await service.fetch(`/api/v1/runs/${run_id}/stream`));
  expect(tokensOf(events, 'support_responder')).toBe(word.repeat(600));
  await until(() => Buffer.concat(bytes).length >= 2, 5_000);
  clearInterval(reading);
  const text = Buffer.concat([...bytes, ...(await Array.fromAsync(slow))]).toString();
  const ids = Array.from(text.matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));
  expect(ids).toEqual(numbers(events));
}, 60_000);

test('a repeated request with a key gets the same events', async () => {
  const headers = { 'idempotency-key': 'streamed' };
  const first = await allEvents(await post({ stream: true }, headers));
  const again = await post({ stream: true }, headers);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await allEvents(again)).toEqual(first);
  expect(provider.requests).toHaveLength(2);
});

test('a deadline ends a stream whose provider hangs in the middle', async () => {
  const answer = controlledAnswer();
  provider.script = echoing({ answer: answer.reply });
  const reading = post({ stream: true, deadline_seconds: 1 }).then(allEvents);
  await until(() => provider.requests.length === 2);
  answer.say('So far');
  const events = await reading;
  expect(kinds(events).slice(-3)).toEqual(['failed', 'error', 'end']);
  expect(events.at(-2)?.data.error_code).toBe('RUN_TIMEOUT');
});

test('heartbeat comments keep the connection open while the provider is silent', async () => {
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  const response = await post({ stream: true, deadline_seconds: 6 });
  const text = await response.text();
  expect(text.match(/^: /gm)?.length).toBe(1);
  expect(text).toEndWith('event: end\ndata: {}\n\n');
}, 60_000);

test('unknown runs and invalid event ids are rejected', async () => {
  const stream = (id: string, after: string) =>
    service.fetch(`/api/v1/runs/${id}/stream`, { headers: { 'last-event-id': after } });
  expect((await stream('nope', '1')).status).toBe(404);
  const { body } = await service.chat({ user_prompt: 'x' });
  const refused = await stream(body.run_id, '-1');
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as { detail: string }).detail).toBe(
    'Last-Event-ID: expected the id of an event',
  );
});
