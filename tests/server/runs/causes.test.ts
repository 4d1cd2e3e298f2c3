/** The causes of tasks: for branches, joins, loops, sends and subgraphs, and over the runs of one turn. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../support/running.ts';

const installed = (name: string) => Bun.resolveSync(name, import.meta.dir);
const SHAPES = `
import { Send, Command } from '${installed('@langchain/langgraph')}';
const State = Annotation.Root({ laps: Annotation({ reducer: Math.max, default: () => 0 }) });
const work = (more = 0) => async ({ laps = 0 }) => ({ laps: laps + more });
const inner = new StateGraph(State).addNode('x', work()).addNode('y', work())
  .addEdge(START, 'x').addEdge('x', 'y').addEdge('y', END).compile();
export default new StateGraph(State)
  .addNode('a', work(1)).addNode('b', work()).addNode('c', inner).addNode('j', work()).addNode('s', work())
  .addNode('d', async () => new Command({ goto: 'e' }), { ends: ['e'] }).addNode('e', work())
  .addEdge(START, 'a').addConditionalEdges('a', ({ laps }) => (laps < 3 ? ['b', 'c'] : ['b']), ['b', 'c'])
  .addEdge('c', 'j').addConditionalEdges('b', ({ laps }) => (laps < 3 ? [] : [new Send('s', {}), new Send('s', {})]), ['s'])
  .addConditionalEdges('j', ({ laps }) => (laps < 3 ? 'a' : END), ['a', END])
  .addEdge('s', 'd')
  .compile();`;
const ASKING = `
const State = Annotation.Root({ ok: Annotation() });
export default new StateGraph(State)
  .addNode('plan', async () => ({})).addNode('ask', async () => ({ ok: interrupt('Go?') })).addNode('go', async () => ({}))
  .addEdge(START, 'plan').addEdge('plan', 'ask').addEdge('ask', 'go').addEdge('go', END).compile();`;
const WRITTEN = `
export default workflow({
  description: 'Drafts until it is good.', example: 'Hello',
  agents: () => [{ name: 'clerk', description: 'C' }, { name: 'closer', description: 'D' }],
  build: ({ agent, agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(AgentWork)
      .addNode('write', step('write', async () => ({})))
      .addNode('send', step('send', async () => ({ result: { content: 'Sent', data: null } })))
      .addEdge(START, 'write').addEdge('write', 'send').addEdge('send', END)))
    .addNode('closer', agent('closer', async () => ({ content: 'Done' })))
    .addEdge(START, 'clerk')
    .addConditionalEdges('clerk', ({ outputs }) => (outputs.length < 2 ? 'clerk' : 'closer'), ['clerk', 'closer'])
    .addEdge('closer', END),
});`;

const service = runningService(runningProvider(), '', { shapes: SHAPES, asking: ASKING, written: WRITTEN });

interface Agent {
  agent: string;
  execution: number;
  task_id: string;
  parent_task_id?: string;
  from?: string[];
  steps: { step: string; task_id: string; from?: string[] }[];
}

async function runOf(id: string): Promise<{ agents: Agent[]; resumes?: string }> {
  return (await service.fetch(`/api/v1/runs/${id}`)).json() as never;
}

/** Each execution with its causes, as in `b1<a1`. Those in a subgraph follow its name. */
function sketch(agents: Agent[]): string[] {
  const names = new Map(agents.map(({ task_id, agent, execution }) => [task_id, `${agent}${execution}`]));
  return agents
    .map(({ agent, execution, from = [], parent_task_id }) => {
      const around = parent_task_id === undefined ? '' : `${names.get(parent_task_id)}/`;
      const causes = from.map((id) => names.get(id) ?? id).sort();
      return `${around}${agent}${execution}<${causes.join('+')}`;
    })
    .sort();
}

test('branches, joins, loops, sends, commands and subgraphs: each execution names the tasks that caused it', async () => {
  const { body } = await service.chat({ input: { laps: 0 }, conversation_flow: 'shapes' });
  expect(sketch((await runOf(body.run_id)).agents)).toEqual(
    [
      ...['a1<__start__', 'b1<a1', 'c1<a1', 'c1/x1<__start__', 'c1/y1<x1', 'j1<c1'],
      ...['a2<j1', 'b2<a2', 'c2<a2', 'c2/x2<__start__', 'c2/y2<x2', 'j2<c2'],
      ...['a3<j2', 'b3<a3', 's1<b3', 's2<b3', 'd1<s1+s2', 'e1<d1'],
    ].sort(),
  );
});

test('the first tasks of a resumed run are caused by tasks of the interrupted run', async () => {
  const { body } = await service.chat({
    input: { ok: null },
    conversation_flow: 'asking',
    thread_id: 'asked',
  });
  const answered = await service.fetch('/api/v1/threads/asked/resume', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"value":"yes"}',
  });
  const second = (await answered.json()) as { run_id: string };
  const [first, resumed] = [await runOf(body.run_id), await runOf(second.run_id)];
  const plan = first.agents.find(({ agent }) => agent === 'plan')?.task_id ?? '';
  const ask = first.agents.find(({ agent }) => agent === 'ask')?.task_id ?? '';
  expect(resumed.agents.map(({ agent, task_id, from }) => [agent, task_id === ask, from])).toEqual([
    ['ask', true, [plan]],
    ['go', false, [ask]],
  ]);
  expect([first.resumes, resumed.resumes]).toEqual([undefined, body.run_id]);
});

test('agents, their steps and the events of a stream name their causes', async () => {
  const { body } = await service.chat({ user_prompt: 'Go', conversation_flow: 'written' });
  const { agents } = await runOf(body.run_id);
  expect(sketch(agents)).toEqual(['clerk1<__start__', 'clerk2<clerk1', 'closer1<clerk2']);
  const [write, send] = agents[1]?.steps ?? [];
  expect([write?.from, send?.from]).toEqual([['__start__'], [write?.task_id ?? '']]);
  const events = await (await service.fetch(`/api/v1/runs/${body.run_id}/stream`)).text();
  const received = [...events.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  const started = received.filter(({ state, step, from }) => state === 'started' && !step && from);
  expect(started.map(({ agent, task_id, from }) => [agent, task_id, from])).toEqual(
    agents.map(({ agent, task_id, from }) => [agent, task_id, from] as never),
  );
});
