/** Turns of LangGraph graphs through the client: the options of its requests and the events of its streams. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createClient, type RunStreamEvent, streamChat, streamResume } from '../../client/client.ts';
import { type TestService, testService } from '../support/service.ts';
import { failureOf, QUICK } from './streams.ts';

const resolved = (name: string) => Bun.resolveSync(name, import.meta.dir);

/** Two nodes ask at the same time; then a node calls a tool, writes a custom event, and names the user. */
const PAIR = `
import { tool } from '${resolved('@langchain/core/tools')}';
import { z } from '${resolved('zod')}';
const State = Annotation.Root({
  topic: Annotation(), length: Annotation(), done: Annotation({ reducer: (all, one) => [...all, ...one], default: () => [] }),
});
const asking = (name) => () => ({ done: [name + ' ' + interrupt({ from: name })] });
const count = tool(({ text }) => String(text.length), { name: 'count', description: 'Counts', schema: z.object({ text: z.string() }) });
export default new StateGraph(State, z.object({ user: z.string() }))
  .addNode('left', asking('left')).addNode('right', asking('right'))
  .addNode('close', async ({ topic }, config) => {
    config.writer({ progress: 1 });
    const length = await count.invoke({ text: topic }, config);
    return { done: [config.context?.user + ' ' + config.configurable.tone + ' ' + length] };
  })
  .addNode('loop', () => ({}))
  .addEdge(START, 'left').addEdge(START, 'right').addEdge(['left', 'right'], 'close').addEdge('loop', 'loop')
  .compile();`;

let service: TestService;
beforeAll(async () => {
  service = await testService({ graphs: { pair: PAIR } });
});
afterAll(() => service.close());

const ASKED = {
  conversation_flow: 'pair',
  input: { topic: 'tandem', length: 2 },
  context: { user: 'Ana' },
  configurable: { tone: 'dry' },
};
const streamOf = (thread_id: string, more: Partial<Parameters<typeof streamChat>[1]> = {}) =>
  streamChat(service.url, { ...ASKED, thread_id, ...more }, QUICK);
const begin = (...args: Parameters<typeof streamOf>) => Array.fromAsync(streamOf(...args));
const resume = (thread: string, request: Parameters<typeof streamResume>[2]) =>
  Array.fromAsync(streamResume(service.url, thread, request, QUICK));

function responseIn(events: RunStreamEvent[]) {
  const [response] = events.flatMap((event) => (event.event === 'response' ? [event.data] : []));
  if (!response) throw new Error(`no response in ${JSON.stringify(events)}`);
  return response;
}

test('a turn has an input, several answers, tools and custom events', async () => {
  const interrupted = responseIn(await begin('a'));
  expect(interrupted.interrupts.map(({ agent }) => agent).toSorted()).toEqual(['left', 'right']);
  const values = Object.fromEntries(
    interrupted.interrupts.map(({ interrupt_id, agent }) => [interrupt_id, agent]),
  );
  const events = await resume('a', { values });
  const { done } = responseIn(events).values as { done: string[] };
  expect(done.toSorted()).toEqual(['Ana dry 6', 'left left', 'right right']);
  const tools = events.flatMap((event) => (event.event === 'tool' ? [event.data] : []));
  expect(tools).toMatchObject([
    { agent: 'close', tool: 'count', state: 'started', input: { text: 'tandem' } },
    { agent: 'close', tool: 'count', state: 'finished', output: '6' },
  ]);
  const custom = events.flatMap((event) => (event.event === 'custom' ? [event.data] : []));
  expect(custom).toEqual([{ agent: 'close', data: { progress: 1 } }]);
});

test('interrupts can be answered one after the other', async () => {
  const [first] = responseIn(await begin('b')).interrupts;
  const { interrupts } = responseIn(await resume('b', { values: { [first?.interrupt_id ?? '']: 1 } }));
  expect(interrupts).toHaveLength(1);
  const last = await resume('b', { value: 2 });
  expect(responseIn(last).interrupts).toEqual([]);
});

test('a breakpoint is reported, an empty answer continues, and goto and update change the next node and the state', async () => {
  const stopped = responseIn(await begin('c', { interrupt_before: ['left', 'right'] }));
  expect(stopped).toMatchObject({ interrupts: [], interrupt: null });
  expect(stopped.stopped_at.map(({ agent, when }) => [agent, when]).toSorted()).toEqual([
    ['left', 'before'],
    ['right', 'before'],
  ]);
  expect(responseIn(await resume('c', {})).interrupts).toHaveLength(2);

  await begin('d', { interrupt_after: '*' });
  const jumped = responseIn(await resume('d', { goto: 'close', update: { topic: 'a' } }));
  expect((jumped.values as { done: string[] }).done).toContainEqual(expect.stringMatching(/ 1$/));
});

test('the recursion limit and the checkpoint of the request are used', async () => {
  const limited = await failureOf(streamOf('e', { recursion_limit: 1_000_000 }));
  expect(limited).toMatchObject({ code: 'INVALID_REQUEST', detail: 'recursion_limit: at most 1000' });
  const lost = await failureOf(streamOf('f', { checkpoint_id: 'nowhere' }));
  expect(lost).toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
});

test('the typed routes accept the same options', async () => {
  const { data } = await createClient(service.url).api.v1.chat.post({
    conversation_flow: 'pair',
    thread_id: 'g',
    input: { topic: 'x' },
    context: { user: 'Bo' },
    configurable: { tone: 'dry' },
    interrupt_after: ['left'],
    recursion_limit: 10,
  });
  if (!data || !('values' in data)) throw new Error('no response');
  expect(data.interrupts.map(({ agent }) => agent)).toContain('right');
  const resumed = await createClient(service.url)
    .api.v1.threads({ thread_id: 'g' })
    .resume.post({ goto: 'close' });
  expect(resumed.error).toBeNull();
});
