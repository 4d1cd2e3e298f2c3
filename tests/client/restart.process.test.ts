/** A service that is killed or stopped while a client listens: the stream continues with the next process. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunStreamEvent, streamChat } from '../../client/client.ts';
import { spawnService } from '../support/process.ts';
import {
  type ChatRequest,
  chunk,
  classifying,
  eventStream,
  type Provider,
  scriptedProvider,
} from '../support/provider.ts';
import { providerEnv, testService } from '../support/service.ts';
import { cuttingProxy } from './cutting-proxy.ts';
import { ASKED, expectWhole, QUICK, textOf } from './streams.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-restart-'));
afterAll(() => rmSync(root, { recursive: true }));

let provider: Provider;
beforeAll(() => {
  provider = scriptedProvider();
});
afterAll(() => provider.close());

/** Sends the first part of the answer and then stays silent. */
const halfAnswered = classifying((_: ChatRequest, __: number) => {
  const delta = { content: 'Half of it, ' };
  const half = chunk(
    { id: 'c', created: 1, model: 'm' },
    { choices: [{ index: 0, delta, finish_reason: null }] },
  );
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(half)),
  });
  return eventStream(body);
});

/** Listens until the end; `restart` is called once when the first half of the answer has arrived. */
async function listen(url: string, restart: () => Promise<void>): Promise<RunStreamEvent[]> {
  const events: RunStreamEvent[] = [];
  let restarted: Promise<void> | undefined;
  const retry = { firstDelayMs: 20, longestDelayMs: 100, rejoinAttempts: 200 };
  for await (const event of streamChat(url, ASKED, { ...QUICK, retry })) {
    events.push(event);
    if (event.event === 'token') restarted ??= restart();
  }
  await restarted;
  return events;
}

/** Asserts that the event numbers continue, and that a new attempt replaces the text of the interrupted one. */
function expectGoneOn(events: RunStreamEvent[]): void {
  const again = events.findIndex((event) => event.event === 'agent' && event.data.attempt === 2);
  expect(textOf(events.slice(0, again))).toBe('Half of it, ');
  const [, ...rest] = events.slice(again);
  expect(textOf(rest)).toBe('All of it.');
  expectWhole(events, 'Half of it, All of it.', 'All of it.');
}

test('after kill -9 and a restart on the same port, each event arrives once and the finished agent is not called again', async () => {
  const folder = join(root, 'killed');
  await Bun.write(join(folder, '.keep'), '');
  provider.script = halfAnswered;
  const before = provider.requests.length;
  let service = await spawnService(folder, providerEnv(provider.url));
  const { port } = new URL(service.url);
  const events = await listen(service.url, async () => {
    service.kill('SIGKILL');
    await service.exited;
    provider.script = classifying('All of it.');
    service = await spawnService(folder, providerEnv(provider.url), { port });
  });
  service.kill('SIGKILL');
  await service.exited;
  expectGoneOn(events);
  expect(provider.requests.length - before).toBe(3);
}, 60_000);

test('a service that stops reports it, and the run continues in the next process', async () => {
  const folder = join(root, 'stopped');
  const env = providerEnv(provider.url);
  provider.script = halfAnswered;
  let service = await testService({ folder, env });
  const proxy = cuttingProxy(service.url);
  const events = await listen(proxy.url, async () => {
    await service.close();
    provider.script = classifying('All of it.');
    service = await testService({ folder, env });
    proxy.upstream = service.url;
  });
  expectGoneOn(events);
  await service.close();
  proxy.close();
}, 60_000);
