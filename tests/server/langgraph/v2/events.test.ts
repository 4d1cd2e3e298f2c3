/** A thread's events over server-sent events: numbered, replayed, filtered, and those of every kind of run. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedProvider } from '../../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../../support/service.ts';
import { echoing } from '../../support/calls.ts';
import { until } from '../../support/until.ts';
import { GRAPHS } from './graphs.ts';
import { ALL, command, listen, type ReceivedEvent, root } from './thread-events.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-events-'));
const provider = scriptedProvider(echoing());
const open = () => testService({ folder, graphs: GRAPHS, env: providerEnv(provider.url) });
let service: TestService;
beforeAll(async () => {
  service = await open();
});
afterAll(async () => {
  await service.close();
  provider.close();
  rmSync(folder, { recursive: true });
});

const start = (thread: string, graph: string, input: unknown, more: object = {}) =>
  command(service, thread, 'run.start', { assistant_id: graph, input, ...more });
const post = (path: string, body: object) =>
  service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const shownEvents = ({ events }: { events: ReceivedEvent[] }) =>
  events.map(({ params, ...rest }) => ({ ...rest, ...params }));
const roots = (events: ReceivedEvent[]) =>
  events
    .filter(({ method, params }) => method === 'lifecycle' && params.namespace.length === 0)
    .map(({ params }) => params.data.event);
const isOver = (event: ReceivedEvent) =>
  ['completed', 'failed', 'interrupted'].some((name) => root(name)(event));

test('numbers increase across runs and restarts, and a later listener gets exactly the same events', async () => {
  const live = await listen(service, 'numbered');
  await start('numbered', 'asker', { request: 'x' });
  await live.until(isOver);
  await start('numbered', 'asker', 'a');
  await until(() => roots(live.events).length === 4);
  const before = shownEvents(live);
  live.close();
  await service.close();
  service = await open();
  const after = await listen(service, 'numbered');
  await until(() => after.events.length === before.length);
  expect(shownEvents(after)).toEqual(before);
  await start('numbered', 'asker', 'b');
  await until(() => roots(after.events).length === 6);
  const numbers = after.events.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  for (const [index, { event_id, method }] of after.events.entries()) {
    expect(after.frames[index]).toStartWith(`id: ${event_id}\nevent: ${method}\ndata: {`);
  }
  const since = numbers[10] ?? 0;
  const rest = await listen(service, 'numbered', { channels: ALL, since });
  await until(() => rest.events.length === numbers.length - 11);
  expect(shownEvents(rest)).toEqual(shownEvents(after).slice(11));
  after.close();
  rest.close();
});

test('each connection gets everything it subscribed to, whatever others read', async () => {
  const both = await Promise.all([1, 2].map(() => listen(service, 'shared')));
  await start('shared', 'tools', { messages: ['Oslo?'] });
  for (const one of both) await one.until(isOver);
  expect(shownEvents(both[0] as never)).toEqual(shownEvents(both[1] as never));
  const of = async (subscription: object) => {
    const one = await listen(service, 'shared', subscription);
    const last = await listen(service, 'shared', { channels: ['lifecycle'] });
    await last.until(root('completed'));
    await until(() => one.events.length > 0);
    last.close();
    one.close();
    return one.events;
  };
  const levels = (events: ReceivedEvent[]) =>
    [...new Set(events.map(({ params }) => params.namespace.length))].sort();
  expect(levels(await of({ channels: ['values'] }))).toEqual([0, 1]);
  expect(levels(await of({ channels: ['values'], namespaces: [[]], depth: 0 }))).toEqual([0]);
  expect(levels(await of({ channels: ['values', 'messages'], namespaces: [['inside']] }))).toEqual([1, 2]);
  expect((await of({ channels: ['custom:progress'] })).map(({ params }) => params.data)).toEqual([
    { name: 'progress', payload: { city: 'Oslo' } },
  ]);
  expect((await of({ channels: ['custom'] })).length).toBe(1);
  for (const one of both) one.close();
});

test('a checkpoint precedes its values, a subgraph starts and ends, and a tool call has its namespace', async () => {
  const live = await listen(service, 'ordered');
  await start('ordered', 'tools', { messages: ['Oslo?'] });
  await live.until(isOver);
  const kept = live.events.filter(({ method }) => method === 'checkpoints' || method === 'values');
  for (const [index, { method, params }] of kept.entries()) {
    if (method !== 'values') continue;
    expect(kept[index - 1]).toMatchObject({ method: 'checkpoints', params: { namespace: params.namespace } });
  }
  const { params } = kept.findLast(({ method }) => method === 'checkpoints') as ReceivedEvent;
  const state = (await (await service.fetch('/threads/ordered/state')).json()) as Record<string, never>;
  const { checkpoint, parent_checkpoint, metadata } = state as Record<string, Record<string, unknown>>;
  expect(params.data).toEqual({
    ...{ id: checkpoint?.checkpoint_id, parent_id: parent_checkpoint?.checkpoint_id },
    ...{ step: metadata?.step, source: 'loop' },
  });
  const inner = live.events.filter(
    ({ method, params }) => method === 'lifecycle' && params.namespace.length > 0,
  );
  expect(inner.map(({ params }) => params.data)).toEqual([
    { event: 'started', graph_name: 'inside' },
    { event: 'completed', graph_name: 'inside' },
  ]);
  const tools = live.events.filter(({ method }) => method === 'tools');
  expect(
    tools.map(({ params }) => [params.data.event, params.namespace.map((part) => part.split(':')[0])]),
  ).toEqual([
    ['tool-started', ['inside', 'tools']],
    ['tool-finished', ['inside', 'tools']],
  ]);
  live.close();
});

test('a failed run has its error, and a cancelled one is reported as interrupted', async () => {
  const live = await listen(service, 'ends');
  await start('ends', 'failing', { n: 1 });
  const { params } = await live.until(root('failed'));
  expect(params.data).toEqual({ event: 'failed', graph_name: 'failing', error: 'it broke' });
  const { result } = await start('ends', 'waiter', { file: join(folder, 'never') });
  await until(() => roots(live.events).at(-1) === 'running' && roots(live.events).length === 3);
  await post(`/threads/ends/runs/${result.run_id}/cancel?wait=1`, {});
  await live.until(root('interrupted'));
  live.close();
});

test('a queued run is not reported as running, and its input answers no question', async () => {
  const live = await listen(service, 'queued');
  const file = join(folder, 'go');
  await start('queued', 'waiter', { file });
  await live.until(root('running'));
  await start('queued', 'speaker', { messages: ['second'] });
  await Bun.write(file, '');
  await until(() => roots(live.events).length === 4);
  expect(roots(live.events)).toEqual(['running', 'completed', 'running', 'completed']);
  const answer = await start(
    'queued',
    'waiter',
    { file: join(folder, 'never') },
    { multitaskStrategy: 'reject' },
  );
  expect(answer.type).toBe('success');
  const refused = await start('queued', 'waiter', {}, { multitaskStrategy: 'reject' });
  expect(refused).toMatchObject({ type: 'error', error: 'unknown_error' });
  expect(refused.message).toStartWith('Thread is already running a task');
  await start('queued', 'speaker', { messages: ['x'] }, { multitask_strategy: 'rollback' });
  await until(() => roots(live.events).filter((name) => name === 'completed').length === 3);
  live.close();
});

test("all listeners get a person's answer", async () => {
  const live = await listen(service, 'answered', { channels: ['input'] });
  await start('answered', 'both', { answers: [] });
  await until(() => live.events.length === 2);
  const ids = live.events.map(({ params }) => params.data.interrupt_id);
  const unknown = await command(service, 'answered', 'input.respond', { interrupt_id: 'x', response: 1 });
  expect(unknown).toMatchObject({ type: 'error', error: 'no_such_interrupt' });
  const none = await command(service, 'answered', 'input.respond', {});
  expect(none).toMatchObject({ type: 'error', error: 'invalid_argument' });
  await command(service, 'answered', 'input.respond', { interrupt_id: ids[0], response: 1 });
  const { params } = await live.until(({ method }) => method === 'input.answered');
  expect(params.data).toEqual({ interrupt_ids: [ids[0]] });
  // The run that is waiting now repeats the other question.
  await until(() => live.events.length === 4);
  expect(live.events.at(-1)?.params.data.interrupt_id).toBe(ids[1]);
  live.close();
});

test('if the run of an answer fails, its question is asked again and can be answered', async () => {
  const live = await listen(service, 'stubborn', {
    channels: ['input', 'lifecycle'],
    namespaces: [[]],
    depth: 0,
  });
  await start('stubborn', 'stubborn', { answers: [] });
  await live.until(({ method }) => method === 'input.requested');
  const tell = () =>
    live.events.map(({ method, params }) => (method === 'lifecycle' ? params.data.event : method));
  const interrupt_id = live.events.find(({ method }) => method === 'input.requested')?.params.data
    .interrupt_id;
  const respond = (response: unknown) =>
    command(service, 'stubborn', 'input.respond', { interrupt_id, response });
  await respond('boom');
  await until(() => tell().filter((name) => name === 'input.requested').length === 2);
  expect(tell().slice(-4)).toEqual(['running', 'input.answered', 'failed', 'input.requested']);
  expect(live.events.at(-1)?.params.data).toEqual({ interrupt_id, payload: 'which?' });
  await respond('yes');
  await live.until(root('completed'));
  expect(tell().slice(-3)).toEqual(['running', 'input.answered', 'completed']);
  live.close();
  // A later listener only gets the valid events, with the same numbers.
  const later = await listen(service, 'stubborn', {
    channels: ['input', 'lifecycle'],
    namespaces: [[]],
    depth: 0,
  });
  await later.until(root('completed'));
  const failed = ({ events }: typeof live) => events.find(root('failed'))?.seq;
  expect(failed(later)).toBe(failed(live) as number);
  expect(later.events.at(-1)?.seq).toBe(live.events.at(-1)?.seq as number);
  later.close();
});

test('runs of chat and of the older protocol are shown as far as their logs allow', async () => {
  await service.chat({ conversation_flow: 'speaker', thread_id: 'mixed', user_prompt: 'one' });
  await post('/threads/mixed/runs/wait', {
    ...{ assistant_id: 'speaker', input: { messages: ['two'] }, stream_mode: 'messages-tuple' },
  });
  await start('mixed', 'speaker', { messages: ['three'] });
  const live = await listen(service, 'mixed');
  await until(() => roots(live.events).length === 6);
  for (const method of ['values', 'updates', 'messages']) {
    const texts = live.events
      .filter((event) => event.method === method)
      .map(({ params }) => JSON.stringify(params));
    for (const said of ['one', 'two', 'three'])
      expect([method, texts.some((text) => text.includes(said))]).toEqual([method, true]);
  }
  const finished = live.events.filter(({ params }) => params.data.event === 'message-finish');
  expect(finished.length).toBe(3);
  live.close();
});

test('commands read the state, its checkpoints and the graphs of a run', async () => {
  const live = await listen(service, 'read');
  await start('read', 'tools', { messages: ['Oslo?'] });
  await live.until(isOver);
  live.close();
  const { result } = await command(service, 'read', 'state.get', { keys: ['messages', 'unknown'] });
  expect(Object.keys(result.values)).toEqual(['messages']);
  const listed = (await command(service, 'read', 'state.listCheckpoints', { limit: 2 })).result.checkpoints;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([result.checkpoint.id, listed[0].parent_id]);
  const { tree } = (await command(service, 'read', 'agent.getTree')).result;
  expect(tree).toMatchObject({ namespace: [], status: 'completed', graph_name: 'tools' });
  expect(tree.children).toMatchObject([{ status: 'completed', graph_name: 'inside' }]);
  const forked = await command(service, 'read', 'state.fork', { checkpoint_id: listed[1].id });
  expect(forked).toMatchObject({ type: 'success', result: { thread_id: 'read' } });
  const unknown = await command(service, 'read', 'subscription.reconnect');
  expect(unknown).toMatchObject({ type: 'error', error: 'unknown_command' });
});

test('a subscription is validated strictly, and errors are text', async () => {
  for (const [body, about] of [
    [{}, 'channels'],
    [{ channels: [] }, 'channels'],
    [{ channels: ['debug'] }, 'channels'],
    [{ channels: ['values'], last: 1 }, 'last'],
    [{ channels: ['values'], depth: -1 }, 'depth'],
    [{ channels: ['values'], namespaces: [[1]] }, 'namespaces'],
  ] as const) {
    const answer = await post('/threads/strict/stream/events', body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/plain;charset=utf-8']);
    expect(await answer.text()).toContain(about);
  }
  expect((await post('/threads/a%20b/stream/events', { channels: ['values'] })).status).toBe(400);
  expect((await post('/threads/strict/commands', { method: 'state.get' })).status).toBe(400);
});

test('a stream ends with the service, not with a run', async () => {
  const other = await testService({ graphs: GRAPHS });
  const live = await listen(other, 'short');
  await command(other, 'short', 'run.start', { assistant_id: 'asker', input: { request: 'x' } });
  await live.until(isOver);
  expect(live.hasEnded()).toBe(false);
  const closed = other.close();
  await until(() => live.hasEnded());
  await closed;
});
