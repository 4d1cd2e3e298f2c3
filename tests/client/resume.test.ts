/** A person's answer to an interrupt, as a stream. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunStreamEvent, streamChat, streamResume } from '../../client/client.ts';
import { type TestService, testService } from '../support/service.ts';
import { atByte, cuttingProxy } from './cutting-proxy.ts';
import { failureOf, QUICK } from './streams.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-resume-'));
const SKEIN = join(import.meta.dir, '../../graphs/skein.ts');
const ASKING = `import { Conversation, END, interrupt, START, StateGraph, workflow } from ${JSON.stringify(SKEIN)};
export default workflow({
  description: 'Asks.', example: 'Hello', agents: () => [{ name: 'asking', description: 'Asks' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('asking', agent('asking', async () => ({ content: 'You said ' + interrupt({ question: 'Really?' }) })))
    .addEdge(START, 'asking').addEdge('asking', END),
});`;

let service: TestService;
beforeAll(async () => {
  await Bun.write(join(folder, 'graphs', 'asking', 'graph.ts'), ASKING);
  service = await testService({ folder });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const ask = (thread_id: string) =>
  streamChat(service.url, { user_prompt: 'a', conversation_flow: 'asking', thread_id }, QUICK);

function responseIn(events: RunStreamEvent[]) {
  return events.flatMap((event) => (event.event === 'response' ? [event.data] : []))[0];
}

function questionIn(events: RunStreamEvent[]) {
  return events.flatMap((event) => (event.event === 'interrupt' ? [event.data.value] : []))[0];
}

test('a question can be answered after the stream was left', async () => {
  for await (const event of ask('a')) if (event.event === 'interrupt') break;
  const events = await Array.fromAsync(streamResume(service.url, 'a', { value: 'yes' }, QUICK));
  expect(responseIn(events)?.agent_response).toBe('You said yes');
});

test('the question is an event with its value', async () => {
  const events = await Array.fromAsync(ask('b'));
  expect(questionIn(events)).toEqual({ question: 'Really?' });
  expect(responseIn(events)?.event_type).toBe('interrupt');
});

test('an answer whose connection breaks is used once', async () => {
  await Array.fromAsync(ask('c'));
  const proxy = cuttingProxy(service.url);
  proxy.cuts = [atByte(0), atByte(0)];
  const events = await Array.fromAsync(streamResume(proxy.url, 'c', { value: 'once' }, QUICK));
  expect(responseIn(events)?.agent_response).toBe('You said once');
  expect(proxy.requests.length).toBe(3);
  proxy.close();
});

test("an answer to a thread that isn't interrupted is rejected", async () => {
  await service.chat({ user_prompt: 'a', thread_id: 'd' });
  const error = await failureOf(streamResume(service.url, 'd', { value: 1 }, QUICK));
  expect(error).toMatchObject({ name: 'SkeinApiError', status: 409, code: 'NOT_INTERRUPTED' });
});
