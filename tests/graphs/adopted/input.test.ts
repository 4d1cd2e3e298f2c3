/** The input of any graph: messages in every form, rejected inputs and contexts, and a caller's configuration. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedProject, serveProject } from './project.ts';
import { posted } from './turns.ts';

const IMPORTS = `
import { AIMessage, RemoveMessage } from '@langchain/core/messages';
import { Annotation, END, entrypoint, getConfig, MessagesAnnotation, REMOVE_ALL_MESSAGES, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
const only = (builder, node) => builder.addNode('node', node).addEdge(START, 'node').addEdge('node', END);
`;

const GRAPHS: Record<string, string> = {
  talk: `export default only(new StateGraph(MessagesAnnotation), ({ messages }) => ({
  messages: { role: 'assistant', content: messages.map((one) => one.getType() + ' ' + one.text).join('; ') },
})).compile();`,
  tuples: `export default only(new StateGraph(MessagesAnnotation), () => ({ messages: [['ai', 'from a tuple']] })).compile();`,
  forgetful: `export default only(new StateGraph(MessagesAnnotation), ({ messages }) => ({
  messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), new AIMessage('forgot ' + messages.length)],
})).compile();`,
  trimming: `export default only(new StateGraph(MessagesAnnotation), ({ messages }) => ({
  messages: [...messages.slice(0, -1).map(({ id }) => new RemoveMessage({ id })), new AIMessage('kept one')],
})).compile();`,
  strict: `export default only(new StateGraph(z.object({
  city: z.string().min(2), days: z.number().int().max(7).default(1), tags: z.array(z.object({ name: z.string() })).optional(),
})), (state) => state).compile();`,
  annotated: `export default only(new StateGraph(Annotation.Root({ a: Annotation(), b: Annotation() })), ({ a, b }) => ({ b: [a, b ?? null] })).compile();`,
  single: `export default only(new StateGraph(Annotation.Root({ text: Annotation() })), ({ text }) => ({ text: text + '!' })).compile();`,
  contextual: `export default only(new StateGraph(MessagesAnnotation, z.object({
  user: z.object({ id: z.string() }), tone: z.string().default('dry'),
})), (_state, { context }) => ({ messages: [new AIMessage(JSON.stringify(context ?? null))] })).compile();`,
  configured: `export default only(new StateGraph(MessagesAnnotation), () => {
  const { configurable, metadata } = getConfig();
  const names = Object.keys(configurable).filter((name) => !name.startsWith('__'));
  const seen = { thread_id: configurable.thread_id, mine: configurable.mine, names, evil: configurable.__pregel_evil ?? null, ns: configurable.checkpoint_id ?? null, meta: metadata.thread_id };
  return { messages: [new AIMessage(JSON.stringify(seen))] };
}).compile();`,
  anything: `export default entrypoint('anything', async (input) => ({ given: input }));`,
  nothing: `export default entrypoint('nothing', async () => null);`,
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

const contents = (messages: { role: string; content: string }[]) =>
  messages.map(({ role, content }) => `${role}: ${content}`);

test.each([
  [
    'objects',
    [
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'be short' },
    ],
    'human hi; system be short',
  ],
  [
    'tuples',
    [
      ['human', 'hi'],
      ['ai', 'hello'],
    ],
    'human hi; ai hello',
  ],
  ['a text', 'hi', 'human hi'],
  ['one object', { role: 'user', content: 'hi' }, 'human hi'],
  ['LangChain types', [{ type: 'human', content: 'hi' }], 'human hi'],
  ['blocks', [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], 'human hi'],
])('messages may be given as %s', async (_form, messages, answer) => {
  const { status, body } = await ask('talk', { input: { messages } });
  expect({ status, answer: body.agent_response, response: body }).toMatchObject({ status: 200, answer });
  expect(body.outputs).toEqual([{ agent: 'node', content: answer, data: null }]);
});

test('an object or a tuple that a node returns as its answer is a message', async () => {
  const { body } = await ask('tuples', { user_prompt: 'hi' });
  expect(body.agent_response).toBe('from a tuple');
  expect(contents(body.values.messages)).toEqual(['user: hi', 'assistant: from a tuple']);
});

test('messages that a graph removes are missing in its next turn', async () => {
  const removed = async (name: string) => {
    const request = { thread_id: `removed-${name}`, user_prompt: 'hi' };
    const answers = [await ask(name, request), await ask(name, request), await ask(name, request)];
    return answers.map(({ body }) => [body.agent_response, contents(body.values.messages)]);
  };
  expect(await removed('forgetful')).toEqual([
    ['forgot 1', ['assistant: forgot 1']],
    ['forgot 2', ['assistant: forgot 2']],
    ['forgot 2', ['assistant: forgot 2']],
  ]);
  expect((await removed('trimming')).at(-1)).toEqual(['kept one', ['user: hi', 'assistant: kept one']]);
});

test.each([
  ['strict', { city: 'R' }, 'input.city: '],
  ['strict', { city: 'Rome', days: 8 }, 'input.days: '],
  ['strict', { city: 'Rome', tags: [{ name: 'a' }, {}] }, 'input.tags.1.name: '],
  ['strict', 'Rome', 'input: must be an object with city, days, tags'],
  ['strict', ['Rome'], 'input: must be an object with city, days, tags'],
  ['annotated', { c: 1 }, "input: unknown fields; the workflow's fields are a, b"],
  ['annotated', null, 'input: must be an object with a, b'],
  ['talk', { messages: 5 }, 'input.messages: expected a message'],
  ['talk', { messages: null }, 'input.messages: expected a message'],
  ['talk', { messages: ['hi', {}] }, 'input.messages.1: expected a message'],
  ['talk', { messages: [{ role: 'nobody', content: 'hi' }] }, 'input.messages.0: expected a message'],
])('%s rejects %j with the path', async (name, input, detail) => {
  const refused = await ask(name, { input, thread_id: 'refused' });
  expect(refused).toMatchObject({ status: 400, body: { error_code: 'INVALID_WORKFLOW_INPUT' } });
  expect(refused.body.detail).toStartWith(detail);
});

test('an update of a waiting thread that is not a message is rejected, and the thread still waits', async () => {
  const thread_id = 'updated';
  await ask('talk', { user_prompt: 'hi', thread_id, interrupt_before: ['node'] });
  const resume = (update: object) => posted(project.service, `/threads/${thread_id}/resume`, { update });
  expect(await resume({ messages: [5] })).toMatchObject({
    status: 400,
    body: {
      error_code: 'INVALID_WORKFLOW_INPUT',
      detail: expect.stringMatching(/^update\.messages\.0: expected a message/),
    },
  });
  const { body } = await resume({ messages: [{ role: 'user', content: 'and me' }] });
  expect(body.agent_response).toBe('human hi; human and me');
});

test('a prompt alone starts only a graph whose input is one text', async () => {
  expect((await ask('single', { user_prompt: 'hi' })).body.values).toEqual({ text: 'hi!' });
  expect((await ask('strict', { user_prompt: 'Rome' })).body.values).toEqual({ city: 'Rome', days: 1 });
  expect((await ask('anything', { user_prompt: 'hi' })).body.values).toEqual({ given: 'hi' });
  expect(await ask('annotated', { user_prompt: 'hi' })).toMatchObject({
    status: 400,
    body: {
      error_code: 'INVALID_WORKFLOW_INPUT',
      detail: "The workflow does not accept user_prompt alone: send 'input' with a, b",
    },
  });
});

test('unknown fields are dropped, and a graph of the functional API accepts any value', async () => {
  expect((await ask('annotated', { input: { a: 1, c: 2 } })).body.values).toEqual({ a: 1, b: [1, null] });
  for (const input of [0, false, '', [], ['a'], { a: { b: null } }])
    expect((await ask('anything', { input })).body.values).toEqual({ given: input });
});

test('with a prompt and an input, the prompt is only displayed', async () => {
  const request = { input: { a: 1 }, user_prompt: 'What is shown', thread_id: 'shown' };
  expect((await ask('annotated', request)).body.values).toEqual({ a: 1, b: [1, null] });
  const response = await project.service.fetch('/api/v1/threads/shown/messages');
  const { messages } = (await response.json()) as { messages: { role: string; content: string }[] };
  expect(messages.find(({ role }) => role === 'user')?.content).toBe('What is shown');
});

test('an invalid context is reported with its path, and without a schema nothing is validated', async () => {
  const answerFor = async (context?: unknown) => {
    const { body } = await ask('contextual', {
      user_prompt: 'hi',
      ...(context !== undefined && { context }),
    });
    return body.agent_response === undefined ? body.detail : JSON.parse(body.agent_response);
  };
  expect(await answerFor({ user: { id: 'ann' } })).toEqual({ user: { id: 'ann' }, tone: 'dry' });
  expect(await answerFor({ user: { id: 5 } })).toStartWith('context.user.id: ');
  expect(await answerFor()).toBeNull();
});

test("a caller can configure its own values, but neither the thread nor LangGraph's internal ones", async () => {
  const hostile = {
    thread_id: 'other',
    run_id: 'other',
    checkpoint_id: 'x',
    checkpoint_ns: 'x',
    __pregel_evil: 1,
  };
  const configurable = { ...hostile, __pregel_checkpointer: {}, langgraph_auth_user: 'root', mine: { a: 1 } };
  const { body } = await ask('configured', { user_prompt: 'hi', thread_id: 'mine', configurable });
  const seen = JSON.parse(body.agent_response);
  expect(seen).toMatchObject({ thread_id: 'mine', mine: { a: 1 }, evil: null, ns: null });
  expect(seen.names).not.toContain('langgraph_auth_user');
});

test('memories of a user are available on other threads', async () => {
  const tell = async (thread_id: string, user_prompt: string, user: string) =>
    (await ask('memory', { thread_id, user_prompt, configurable: { user } })).body.agent_response;
  await tell('first', 'I like tea', 'bob');
  expect(await tell('second', 'I like cake', 'bob')).toBe('recall heard known: I like cake, I like tea');
  expect(await tell('second', 'I like rain', 'cid')).toBe('recall heard known: I like rain');
});

test('the answer of a graph without an output is empty', async () => {
  expect((await ask('nothing', { user_prompt: 'hi' })).body.agent_response).toBe('');
});
