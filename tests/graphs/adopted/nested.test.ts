/** Subgraphs, tasks and caches: questions, events, stored results, and work that is not repeated. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { allEvents } from '../../support/events.ts';
import { type ServedProject, serveProject } from './project.ts';
import { callerOf } from './script.ts';
import { got, post, posted } from './turns.ts';

const IMPORTS = `
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Annotation, Command, END, entrypoint, getWriter, interrupt, MessagesAnnotation, Send, START, StateGraph, task } from '@langchain/langgraph';
import { InMemoryCache } from '@langchain/langgraph-checkpoint';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
const model = new ChatOpenAI({ model: 'gpt-4o-mini' });
const list = () => Annotation({ reducer: (left, right) => left.concat(right), default: () => [] });
`;

const GRAPHS: Record<string, string> = {
  'cached-sends': `
const State = Annotation.Root({ words: Annotation(), seen: list() });
export default new StateGraph(State).addNode('start', () => ({}))
  .addNode('each', ({ word }) => ({ seen: [word.toUpperCase()] }), { cachePolicy: { ttl: 600 } })
  .addEdge(START, 'start')
  .addConditionalEdges('start', ({ words }) => words.map((word) => new Send('each', { word })), ['each'])
  .addEdge('each', END).compile({ cache: new InMemoryCache() });`,
  adding: `
const inner = new StateGraph(MessagesAnnotation).addNode('think', () => ({ messages: [new AIMessage('a thought')] }))
  .addEdge(START, 'think').addEdge('think', END).compile();
export default new StateGraph(MessagesAnnotation)
  .addNode('outer', async (state) => {
    const { messages } = await inner.invoke(state);
    return { messages: [messages.at(-1), new AIMessage('and a conclusion')] };
  })
  .addEdge(START, 'outer').addEdge('outer', END).compile();`,
  'asking-inside': `
const inner = new StateGraph(MessagesAnnotation)
  .addNode('prepare', async () => { await model.invoke([{ role: 'system', content: 'You are prepare.' }]); return {}; })
  .addNode('ask', () => ({ messages: [new AIMessage('heard ' + interrupt({ question: 'Really?' }))] }))
  .addEdge(START, 'prepare').addEdge('prepare', 'ask').addEdge('ask', END).compile();
const middle = new StateGraph(MessagesAnnotation).addNode('inner', inner).addEdge(START, 'inner').addEdge('inner', END).compile();
export default new StateGraph(MessagesAnnotation).addNode('middle', middle).addEdge(START, 'middle').addEdge('middle', END).compile();`,
  'asking-tool': `
const send = tool(({ city }) => 'sent to ' + city + ': ' + interrupt({ city }), {
  name: 'get_weather', description: 'Sends.', schema: z.object({ city: z.string() }),
});
export default createReactAgent({ llm: model, tools: [send], prompt: 'You are assistant.' });`,
  'asking-entry': `
const draft = task('draft', async (topic) => (await model.invoke([{ role: 'system', content: 'You are draft.' }, { role: 'user', content: topic }])).text);
export default entrypoint('asking-entry', async (topic) => {
  const text = await draft(topic);
  const answer = interrupt({ text });
  return entrypoint.final({ value: { text, answer }, save: 'kept' });
});`,
  remembering: `
const inner = new StateGraph(Annotation.Root({ said: Annotation(), memory: list(), all: Annotation() }))
  .addNode('note', ({ said, memory }) => ({ memory: [said], all: [...memory, said] })).addEdge(START, 'note').addEdge('note', END).compile({ checkpointer: true });
export default new StateGraph(Annotation.Root({ said: Annotation(), all: Annotation() })).addNode('keeper', inner)
  .addEdge(START, 'keeper').addEdge('keeper', END).compile();`,
  writing: `
const say = tool(async (_input, config) => { config.writer?.('from a tool'); return 'done'; }, {
  name: 'get_weather', description: 'Says.', schema: z.object({ city: z.string() }),
});
const inner = createReactAgent({ llm: model, tools: [say], prompt: 'You are assistant.' });
const leaf = new StateGraph(MessagesAnnotation).addNode('x', (_state, config) => { config.writer('from a called graph'); return {}; })
  .addEdge(START, 'x').addEdge('x', END).compile();
export default new StateGraph(MessagesAnnotation).addNode('inner', inner)
  .addNode('calls', async (state, { writer }) => {
    await leaf.invoke(state);
    await Promise.resolve().then(() => getWriter()({ from: 'the node' }));
    return {};
  })
  .addEdge(START, 'inner').addEdge('inner', 'calls').addEdge('calls', END).compile();`,
  late: `
export default new StateGraph(MessagesAnnotation)
  .addNode('leaves', (_state, { writer }) => {
    globalThis.lateWriter = () => writer('too late');
    void model.invoke([{ role: 'system', content: 'You are late.' }]).then(() => globalThis.lateCall?.());
    return { messages: [new AIMessage('left')] };
  })
  .addEdge(START, 'leaves').addEdge('leaves', END).compile();`,
  elsewhere: `
export default new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, other: Annotation() }))
  .addNode('count', ({ messages }) => ({ messages: [new AIMessage('has ' + messages.length)], other: 1 }))
  .addEdge(START, 'count').addEdge('count', END).compile();`,
};

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject(
    Object.fromEntries(Object.entries(GRAPHS).map(([name, text]) => [name, `${IMPORTS}${text}`])),
  );
});
afterAll(() => project.close());

const ask = (conversation_flow: string, more: object) =>
  posted(project.service, '/chat', { conversation_flow, ...more });
const resume = (thread: string, body: object) => posted(project.service, `/threads/${thread}/resume`, body);

const namesOf = (outputs: { agent: string; data: unknown }[]) =>
  outputs.map(({ agent, data }) => [agent, data]);

test('cached results are reported for each task separately', async () => {
  const words = ['a', 'b', 'c'];
  const expected = [
    ['each', { seen: ['A'] }],
    ['each', { seen: ['B'] }],
    ['each', { seen: ['C'] }],
  ];
  for (const _turn of ['made', 'cached']) {
    const { body } = await ask('cached-sends', { input: { words } });
    expect(body.values.seen).toEqual(['A', 'B', 'C']);
    expect(namesOf(body.outputs)).toEqual(expected);
  }
  const { body } = await ask('cached-sends', { input: { words: ['b', 'new', 'a'] } });
  expect(namesOf(body.outputs).map(String).sort()).toEqual(expected.map(String).sort());
  expect(body.values.seen).toEqual(['B', 'NEW', 'A']);
});

test('a node that runs a graph and adds to its answer reports both, once', async () => {
  const body = { conversation_flow: 'adding', user_prompt: 'hi', stream: true };
  const events = await allEvents(await post(project.service, '/chat', body));
  const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => [data.agent, data.text]);
  expect(tokens).toEqual([
    ['think', 'a thought'],
    ['outer', 'and a conclusion'],
  ]);
  expect(events.at(-2)?.data.agent_response).toBe('and a conclusion');
});

test('a question inside subgraphs has its path, and earlier work is not repeated', async () => {
  const index = project.provider.requests.length;
  const interrupted = await ask('asking-inside', { user_prompt: 'hi', thread_id: 'inside' });
  expect(interrupted.body.interrupts).toMatchObject([
    { value: { question: 'Really?' }, agent: 'ask', path: ['middle', 'inner'] },
  ]);
  const { body } = await resume('inside', { value: 'yes' });
  expect(body).toMatchObject({ agent_response: 'heard yes', interrupts: [], event_type: null });
  expect(project.provider.requests.slice(index).map(callerOf)).toEqual(['prepare']);
  expect(body.token_count).toBe(30);
});

test('a tool asks a person in the middle of an agent', async () => {
  const interrupted = await ask('asking-tool', { user_prompt: 'weather', thread_id: 'tool' });
  expect(interrupted.body.interrupts).toMatchObject([{ value: { city: 'Rome' }, agent: 'tools', path: [] }]);
  const events = await allEvents(
    await post(project.service, '/threads/tool/resume', { value: 'ok', stream: true }),
  );
  const tools = events
    .filter(({ event }) => event === 'tool')
    .map(({ data }) => [data.tool, data.state, data.output]);
  expect(tools).toEqual([
    ['get_weather', 'started', undefined],
    ['get_weather', 'finished', 'sent to Rome: ok'],
  ]);
  expect(events.at(-2)?.data.agent_response).toBe('So: sent to Rome: ok');
});

test('a workflow of the functional API can ask, keeps its tasks, and can save another value than it returns', async () => {
  const index = project.provider.requests.length;
  const interrupted = await ask('asking-entry', { user_prompt: 'owls', thread_id: 'entry' });
  expect(interrupted.body.interrupt.value).toEqual({ text: 'draft heard owls' });
  const { body } = await resume('entry', { value: 'good' });
  expect(body.values).toEqual({ text: 'draft heard owls', answer: 'good' });
  expect(project.provider.requests.slice(index).map(callerOf)).toEqual(['draft']);
});

test('a subgraph with its own memory keeps it between turns', async () => {
  const answerTo = async (word: string) =>
    (await ask('remembering', { input: { said: word }, thread_id: 'keeper' })).body.values.all;
  expect(await answerTo('one')).toEqual(['one']);
  expect(await answerTo('two')).toEqual(['one', 'two']);
  expect(await answerTo('three')).toEqual(['one', 'two', 'three']);
});

test('custom output is reported wherever it is written', async () => {
  const body = { conversation_flow: 'writing', user_prompt: 'weather', stream: true };
  const events = await allEvents(await post(project.service, '/chat', body));
  expect(events.at(-2)).toMatchObject({ event: 'response' });
  const written = events.filter(({ event }) => event === 'custom').map(({ data }) => [data.agent, data.data]);
  expect(written).toEqual([
    ['tools', 'from a tool'],
    ['x', 'from a called graph'],
    ['calls', { from: 'the node' }],
  ]);
});

test('work that a node leaves running does no harm after the turn', async () => {
  const left = globalThis as typeof globalThis & { lateWriter?: () => void; lateCall?: () => void };
  const called = Promise.withResolvers<void>();
  left.lateCall = called.resolve;
  const { body } = await ask('late', { user_prompt: 'hi' });
  await called.promise;
  left.lateWriter?.();
  const events = await allEvents(await project.service.fetch(`/api/v1/runs/${body.run_id}/stream`));
  expect(events.filter(({ event }) => event === 'custom')).toEqual([]);
  expect(events.at(-1)?.event).toBe('end');
  expect((await ask('late', { user_prompt: 'hi' })).status).toBe(200);
});

test('concurrent turns share nothing', async () => {
  const turns = Array.from({ length: 12 }, async (_, index) => {
    const user_prompt = `question ${index}`;
    const { body } = await ask('subgraphs', { user_prompt, thread_id: `side-${index}` });
    return [body.agent_response, body.token_count, body.outputs.length];
  });
  expect(await Promise.all(turns)).toEqual(
    turns.map((_, index) => [`correct heard condense heard collect heard question ${index}`, 90, 3]),
  );
  const contexts = Array.from({ length: 12 }, async (_, index) => {
    const request = { user_prompt: 'hi', context: { language: `L${index}` }, thread_id: `context-${index}` };
    return (await ask('runtime-context', request)).body.agent_response;
  });
  expect(await Promise.all(contexts)).toEqual(contexts.map((_, index) => `speak heard in L${index}, dry`));
});

test('an answer that is requested again has the same values', async () => {
  for (const [name, request] of Object.entries({
    'runtime-context': { user_prompt: 'hi', context: { language: 'Latin' } },
    'input-output': { input: { topic: 'cats' } },
    approvals: { user_prompt: 'An offer' },
    functional: { user_prompt: 'owls' },
    subgraphs: { user_prompt: 'Why?' },
  })) {
    const once = async () => {
      const response = await project.service.fetch('/api/v1/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': name },
        body: JSON.stringify({ conversation_flow: name, ...request }),
      });
      return response.json();
    };
    const first = await once();
    expect(await once()).toEqual(first);
  }
});

test('a thread can switch between graphs', async () => {
  const thread_id = 'moving';
  await ask('adding', { user_prompt: 'hi', thread_id });
  const { body } = await ask('elsewhere', { user_prompt: 'and now', thread_id });
  expect(body).toMatchObject({ agent_response: 'has 4', workflow: 'elsewhere', values: { other: 1 } });
  const back = await ask('adding', { user_prompt: 'back', thread_id });
  expect(back.body.values.messages).toHaveLength(8);
});

test("a checkpoint of another thread is not found, and the thread's own have readable values", async () => {
  const thread_id = 'checkpoints';
  await ask('adding', { user_prompt: 'hi', thread_id });
  expect(await ask('adding', { user_prompt: 'hi', thread_id, checkpoint_id: 'nowhere' })).toMatchObject({
    status: 404,
    body: { error_code: 'CHECKPOINT_NOT_FOUND' },
  });
  const { checkpoints } = await got(project.service, `/threads/${thread_id}/checkpoints`);
  const [newest] = checkpoints;
  const { values } = await got(project.service, `/threads/${thread_id}/checkpoints/${newest.checkpoint_id}`);
  expect(values.messages.map(({ role, content }: Record<string, string>) => `${role}: ${content}`)).toEqual([
    ...['user: hi', 'assistant: a thought', 'assistant: and a conclusion'],
  ]);
  const { messages } = await got(project.service, `/threads/${thread_id}/messages`);
  expect(messages.map(({ content }: { content: string }) => content).sort()).toEqual([
    'and a conclusion',
    'hi',
  ]);
});
