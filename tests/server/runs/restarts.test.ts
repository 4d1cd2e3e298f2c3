/** Orderly restarts: a run continues after each one, and none counts as a failed attempt. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allEvents } from '../../support/events.ts';
import { providerEnv, testService } from '../../support/service.ts';
import { askState } from '../../support/stored-state.ts';
import { echoing } from '../support/calls.ts';
import { runningProvider } from '../support/running.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-restarts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const provider = runningProvider();
const open = (graphs: Record<string, string> = {}) =>
  testService({ env: providerEnv(provider.url), folder, graphs });

test('a run continues over four of them as its first attempt, and its classifier is called once', async () => {
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  const first = await open();
  const response = await first.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: 'hi', thread_id: 'long' }),
  });
  const { run_id } = (await response.json()) as { run_id: string };
  await until(() => provider.requests.length === 2);
  await first.close();
  for (let restart = 0; restart < 3; restart++) {
    const next = await open();
    await until(() => provider.requests.length === 3 + restart);
    await next.close();
  }
  provider.script = echoing();
  const last = await open();
  const events = await allEvents(await last.fetch(`/api/v1/runs/${run_id}/stream`));
  expect(events.at(-2)?.data.agent_response).toEndWith('support_responder: re: hi');
  expect(await (await last.fetch(`/api/v1/runs/${run_id}`)).json()).toMatchObject({
    status: 'succeeded',
    attempt: 1,
  });
  expect(provider.requests).toHaveLength(6);
  await last.close();
});

test('a superseding turn still supersedes after a restart', async () => {
  const ASKING = `
export default workflow({
  description: 'Asks.', example: 'Hello', agents: () => [{ name: 'asker', description: 'A' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('asker', agent('asker', async (state, { answer }) => {
      await answer('You think first.');
      return { content: String(interrupt({ question: 'Really?' })) };
    }))
    .addEdge(START, 'asker').addEdge('asker', END),
});`;
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  const first = await open({ asking: ASKING });
  const post = (body: object) =>
    first.fetch('/api/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ thread_id: 'taken', conversation_flow: 'asking', ...body }),
    });
  await post({ user_prompt: 'first' });
  await until(() => provider.requests.length === 1);
  await post({ user_prompt: 'second' });
  const newest = { conversation_flow: 'classification-agent', multitask_strategy: 'supersede' };
  const accepted = await post({ user_prompt: 'third', ...newest });
  const { run_id } = (await accepted.json()) as { run_id: string };
  await first.close();
  provider.script = echoing();
  const second = await open({ asking: ASKING });
  const events = await allEvents(await second.fetch(`/api/v1/runs/${run_id}/stream`));
  expect(events.at(-2)?.data.agent_response).toEndWith('support_responder: re: third');
  await second.close();
});

test('an idempotency key returns its stream even if the events have been deleted', async () => {
  const service = await open();
  const ask = () =>
    service.fetch('/api/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'swept' },
      body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: 'hi', stream: true }),
    });
  const complete = await allEvents(await ask());
  await askState(folder, 'DELETE FROM events');
  const again = await allEvents(await ask());
  expect(again.map(({ event, id }) => [id, event])).toEqual([
    [1, 'run'],
    [2, 'response'],
    [3, 'end'],
  ]);
  expect(again[1]?.data).toEqual(complete.at(-2)?.data);
  const { run_id } = again[0]?.data ?? {};
  expect((await service.fetch(`/api/v1/runs/${run_id}/stream`)).status).toBe(404);
  await service.close();
});

test("a compiled graph as a node has its agents' outputs once", async () => {
  const service = await open({
    nested: `
const inner = (agent) => new StateGraph(Conversation)
  .addNode('inside', agent('inside', async () => ({ content: 'in' })))
  .addEdge(START, 'inside').addEdge('inside', END).compile();
export default workflow({
  description: 'Nests.', example: 'Hello', agents: () => [{ name: 'first', description: 'F' }, { name: 'last', description: 'L' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('first', agent('first', async () => ({ content: '1' }))).addNode('nest', inner(agent))
    .addNode('last', agent('last', async () => ({ content: '2' })))
    .addEdge(START, 'first').addEdge('first', 'nest').addEdge('nest', 'last').addEdge('last', END),
});`,
  });
  const { body } = await service.chat({ user_prompt: 'x', conversation_flow: 'nested' });
  expect(body.agent_response).toBe('first: 1\n\ninside: in\n\nlast: 2');
  await service.close();
});

test('an idempotency key finds its run after a restart: a finished one, and one that continues', async () => {
  const asking = (key: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: key }),
  });
  const first = await open();
  const done = await (await first.fetch('/api/v1/chat', asking('finished'))).json();
  const [before, hang] = [provider.requests.length, new Promise<Response>(() => {})];
  provider.script = echoing({ answer: () => hang });
  const cut = first.fetch('/api/v1/chat', asking('going'));
  await until(() => provider.requests.length === before + 2);
  await first.close();
  expect((await cut).status).toBe(503);
  provider.script = echoing();
  const second = await open();
  const again = await second.fetch('/api/v1/chat', asking('finished'));
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.json()).toEqual(done);
  const going = await second.fetch('/api/v1/chat', asking('going'));
  expect(going.headers.get('idempotency-replayed')).toBe('true');
  expect(((await going.json()) as { agent_response: string }).agent_response).toEndWith('re: going');
  // Its classifier was called before, and its responder is called once more.
  expect(provider.requests.length).toBe(before + 3);
  await second.close();
});
