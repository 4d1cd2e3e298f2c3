/** The forms in which a file can export a graph and describe it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedProject, serveProject } from './project.ts';
import { got, posted } from './turns.ts';

const ECHO = `
import { AIMessage } from '@langchain/core/messages';
import { END, entrypoint, InMemoryStore, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
const answer = (text) => ({ messages: [new AIMessage(text)] });
const builder = (say = (text) => text) => new StateGraph(MessagesAnnotation)
  .addNode('echo', ({ messages }, config) => answer(say(messages.at(-1).text, config)))
  .addEdge(START, 'echo').addEdge('echo', END);
`;

const FORMS: Record<string, string> = {
  compiled: 'export default builder().compile();',
  builder: 'export default builder();',
  promise: 'export default Promise.resolve(builder().compile());',
  maker: 'export default () => builder().compile();',
  'async-maker': 'export default async () => builder();',
  wrapped: 'export default { graph: builder().compile(), invoke() {}, stream() {} };',
  'promise-of-wrapped': 'export default Promise.resolve({ graph: builder().compile() });',
  configured: `export default ({ configurable }) => builder((text) => [text, configurable.shout, configurable.thread_id].join()).compile();`,
  entry: `export default entrypoint('entry', async (text) => text);`,
  about: `export const about = { description: 'Says it again.', example: 'Good day', category: 'toys', agents: [{ name: 'echo', description: 'Echoes' }] };
    export default builder().compile();`,
  'own-saver':
    'export default builder().compile({ checkpointer: new MemorySaver(), store: new InMemoryStore() });',
  named: `export default builder().compile({ name: 'Another name', recursionLimit: 3 });`,
};

const BROKEN: Record<string, string> = {
  nothing: 'export const graph = 1;',
  number: 'export default 42;',
  'wrong-about': `export const about = { description: 5 }; export default builder().compile();`,
  unconnected: `export default new StateGraph(MessagesAnnotation).addNode('a', () => ({}));`,
  rejects: `export default Promise.reject(new Error('no key'));`,
  'makes-nothing': 'export default () => undefined;',
};

let project: ServedProject;
beforeAll(async () => {
  const all = { ...FORMS, ...BROKEN };
  project = await serveProject(
    Object.fromEntries(Object.entries(all).map(([name, text]) => [name, `${ECHO}${text}`])),
  );
});
afterAll(() => project.close());

const ask = (name: string, more: object = {}) =>
  posted(project.service, '/chat', { conversation_flow: name, user_prompt: 'hello', ...more });

test.each(Object.keys(FORMS).filter((name) => name !== 'configured'))('%s answers', async (name) => {
  const thread_id = `exports-${name}`;
  const first = await ask(name, { thread_id });
  expect(first).toMatchObject({ status: 200, body: { agent_response: 'hello', workflow: name } });
  const second = await ask(name, { thread_id, user_prompt: 'again' });
  expect(second).toMatchObject({ status: 200, body: { agent_response: 'again' } });
  if (name !== 'entry') expect(second.body.values.messages).toHaveLength(4);
});

test('a function makes a new graph for each run, from its config', async () => {
  for (const shout of ['a', 'b']) {
    const thread_id = `of-${shout}`;
    const { body } = await ask('configured', { thread_id, configurable: { shout } });
    expect(body.agent_response).toBe(`hello,${shout},${thread_id}`);
  }
});

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
const entry = async (name: string): Promise<any> => {
  const { workflows } = await got(project.service, '/workflows');
  return workflows.find(({ workflow }: { workflow: string }) => workflow === name);
};

test("the file's description of its graph is listed, by default the graph's own", async () => {
  expect(await entry('about')).toMatchObject({
    ...{ description: 'Says it again.', category: 'toys', agents: [{ name: 'echo', description: 'Echoes' }] },
  });
  expect(await entry('compiled')).toMatchObject({
    ...{ description: 'compiled', category: 'project', agents: [{ name: 'echo', description: '' }] },
  });
  expect((await entry('tools-agent')).agents.map(({ name }: { name: string }) => name)).toEqual(['agent']);
});

test('a graph that cannot run is reported with its file and the reason', () => {
  const reported = project.service.service.warnings.filter((one) => one.includes('graph.ts: '));
  expect(reported.map((one) => one.slice(one.indexOf('graphs/'))).sort()).toEqual([
    'graphs/makes-nothing/graph.ts: the exported function must return a LangGraph graph, got nothing',
    'graphs/nothing/graph.ts: expected a LangGraph graph or workflow({...}), got nothing',
    'graphs/number/graph.ts: expected a LangGraph graph or workflow({...}), got a number',
    'graphs/rejects/graph.ts: no key',
    expect.stringContaining('graphs/unconnected/graph.ts: '),
    'graphs/wrong-about/graph.ts: about.description: expected string',
  ]);
});

test("a graph's own saver and store are reported once and not used", async () => {
  const { warnings } = project.service.service;
  expect(warnings.filter((one) => one.includes('own-saver'))).toEqual([
    "The graph 'own-saver' uses the service's checkpointer and store instead of its own",
  ]);
  const { checkpointer } = await project.graph('own-saver');
  expect(Object.keys((checkpointer as unknown as { storage: object }).storage)).toEqual([]);
});
