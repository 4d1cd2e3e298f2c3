/** Stops at nodes of subgraphs, and turns that continue step by step. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedProject, serveProject } from './project.ts';
import { got, posted } from './turns.ts';

const NODES = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({
  topic: Annotation(),
  log: Annotation({ reducer: (left, right) => [...new Set(left.concat(right))], default: () => [] }),
});
const note = (name) => () => ({ log: [name] });
const chain = (...names) => names.reduce(
  (graph, name, index) => graph.addNode(name, note(name)).addEdge(index === 0 ? START : names[index - 1], name),
  new StateGraph(State),
).addEdge(names.at(-1), END);
`;

const GRAPHS: Record<string, string> = {
  within: `
const check = chain('facts', 'style').compile();
const research = new StateGraph(State).addNode('collect', note('collect')).addNode('check', check)
  .addEdge(START, 'collect').addEdge('collect', 'check').addEdge('check', END).compile();
export default new StateGraph(State).addNode('plan', note('plan')).addNode('research', research)
  .addNode('write', note('write'))
  .addEdge(START, 'plan').addEdge('plan', 'research').addEdge('research', 'write').addEdge('write', END).compile();`,
  'side-by-side': `
export default ['a', 'b', 'c', 'd'].reduce((graph, name) => graph.addNode(name, note(name)), new StateGraph(State))
  .addEdge(START, 'a').addEdge(START, 'b').addEdge('a', 'c').addEdge('b', 'd').addEdge('c', END).addEdge('d', END).compile();`,
  hidden: `
const inner = chain('facts', 'style').compile();
export default new StateGraph(State).addNode('calls', async (state) => ({ log: (await inner.invoke(state)).log }))
  .addEdge(START, 'calls').addEdge('calls', END).compile();`,
};

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject(
    Object.fromEntries(Object.entries(GRAPHS).map(([name, text]) => [name, `${NODES}${text}`])),
  );
});
afterAll(() => project.close());

let threads = 0;

async function startThread(name: string, more: object = {}) {
  const id = `inside-${++threads}`;
  const body = { conversation_flow: name, input: { topic: 't' }, thread_id: id, ...more };
  const answer = await posted(project.service, '/chat', body);
  return { id, answer, resume: (body: object) => posted(project.service, `/threads/${id}/resume`, body) };
}

interface Stop {
  agent: string;
  when: string;
  path: string[];
}

/** `before plan`, `after research:collect`; empty at the end. */
const stopped = ({ body }: { body: { stopped_at: Stop[] } }) =>
  body.stopped_at.map(({ agent, when, path }) => `${when} ${[...path, agent].join(':')}`).toSorted();

/** All stops until the end of the turn. */
async function allStops({ answer, resume }: Awaited<ReturnType<typeof startThread>>, body: object) {
  const stops: string[][] = [];
  let last = answer;
  while (last.body.event_type === 'interrupt') {
    stops.push(stopped(last));
    last = await resume(body);
  }
  expect(last.status).toBe(200);
  return { stops, log: last.body.values.log as string[] };
}

const ALL = ['plan', 'collect', 'facts', 'style', 'write'];

test('a turn stops before and after nodes of subgraphs, at any depth', async () => {
  const turn = await startThread('within', {
    interrupt_before: ['research:collect', 'research:check:style'],
    interrupt_after: ['research:check:facts'],
  });
  const { stops, log } = await allStops(turn, {});
  // A stop after a node and before the next counts once, as in LangGraph.
  expect(stops).toEqual([['before research:collect'], ['after research:check:facts']]);
  expect(log).toEqual(ALL);
});

test('the stops of one run do not stop the others', async () => {
  await startThread('within', { interrupt_before: ['research:collect'] });
  const { answer } = await startThread('within');
  expect(answer.body).toMatchObject({ event_type: null, values: { log: ALL } });
});

test('in step mode, the run stops before every node of every graph', async () => {
  const turn = await startThread('within', { interrupt_before: ['plan'] });
  const { stops, log } = await allStops(turn, { step: true });
  expect(stops.flat()).toEqual([
    ...['before plan', 'before research', 'before research:collect', 'before research:check'],
    ...['before research:check:facts', 'before research:check:style', 'before write'],
  ]);
  expect(log).toEqual(ALL);
});

test('a step runs all parallel next nodes', async () => {
  const turn = await startThread('side-by-side', { interrupt_before: ['a'] });
  const { stops } = await allStops(turn, { step: true });
  expect(stops).toEqual([
    ['before a', 'before b'],
    ['before c', 'before d'],
  ]);
});

test('after a step, a turn continues to its next breakpoint, or to those of the answer', async () => {
  const options = { interrupt_before: ['plan', 'write'] };
  const { answer, resume } = await startThread('within', options);
  expect(stopped(answer)).toEqual(['before plan']);
  expect(stopped(await resume({ step: true }))).toEqual(['before research']);
  expect(stopped(await resume({}))).toEqual(['before write']);
  const other = await startThread('within', options);
  expect(stopped(await other.resume({ interrupt_before: ['research:check:style'] }))).toEqual([
    'before research:check:style',
  ]);
  const { body } = await other.resume({ interrupt_before: [], interrupt_after: [] });
  expect(body).toMatchObject({ event_type: null, values: { log: ALL } });
});

test('a stop in a subgraph survives its run, and the thread says where it is', async () => {
  const { id } = await startThread('within', { interrupt_before: ['research:check:facts'] });
  expect((await got(project.service, `/threads/${id}`)).stopped_at).toEqual([
    { agent: 'facts', when: 'before', path: ['research', 'check'] },
  ]);
});

test('unknown nodes, and nodes of graphs that a node calls itself, are rejected by name', async () => {
  for (const [name, node] of [
    ['within', 'research:nothing'],
    ['within', 'plan:collect'],
    ['within', 'research:'],
    ['hidden', 'calls:facts'],
  ] as const) {
    const { answer } = await startThread(name, { interrupt_before: [node] });
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'INVALID_REQUEST' } });
    expect(answer.body.detail).toStartWith(`interrupt_before: '${name}' has no node '${node}'`);
  }
  const { resume } = await startThread('within', { interrupt_before: ['plan'] });
  const refused = { status: 400, body: { error_code: 'INVALID_REQUEST' } };
  expect(await resume({ interrupt_after: ['nothing'] })).toMatchObject(refused);
  expect(await resume({ step: 'yes' })).toMatchObject(refused);
  expect(stopped(await resume({ step: true }))).toEqual(['before research']);
});
