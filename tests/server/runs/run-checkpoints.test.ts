/** The input and the output of an agent or a step: each checkpoint with the previous one. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../support/running.ts';
import { allOf, callsOf } from '../support/thread-calls.ts';

const STEPS = `
const Work = Annotation.Root({ ...AgentWork.spec, draft: Annotation() });
export default workflow({
  description: 'Drafts and sends.', example: 'Hello',
  agents: () => [{ name: 'clerk', description: 'C' }, { name: 'closer', description: 'D' }],
  build: ({ agent, agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(Work)
      .addNode('write', step('write', async (state, { answer }) => ({ draft: (await answer('You draft.')).content })))
      .addNode('send', step('send', async ({ draft }) => ({ result: { content: 'Sent: ' + draft, data: { draft } } })))
      .addEdge(START, 'write').addEdge('write', 'send').addEdge('send', END)))
    .addNode('closer', agent('closer', async (state, { answer }) => answer('You close.')))
    .addEdge(START, 'clerk').addEdge('clerk', 'closer').addEdge('closer', END),
});`;

const provider = runningProvider();
const service = runningService(provider, '', { steps: STEPS });
const call = callsOf(service);

interface Entry {
  checkpoint_id: string;
  parent_id: string | null;
  agent: string | null;
  within: string | null;
  run_id: string;
}

const at = async (thread: string, id: string | null) =>
  (await call('GET', `/threads/${thread}/checkpoints/${id}`)).body;

/** The channels that differ between a checkpoint and the previous one. */
async function changed(thread: string, entry: Entry | undefined): Promise<string[]> {
  const { values } = await at(thread, entry?.checkpoint_id ?? '');
  const { values: before } = await at(thread, entry?.parent_id ?? '');
  const names = Object.keys({ ...before, ...values });
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(values[name])).sort();
}

test("a run's checkpoints are those of its graph and of its agents' steps, each with the previous one", async () => {
  const ask = { thread_id: 'two', conversation_flow: 'steps' };
  const first = (await service.chat({ ...ask, user_prompt: 'one' })).body;
  const second = (await service.chat({ ...ask, user_prompt: 'two' })).body;
  const path = `/threads/two/checkpoints?run_id=${second.run_id}`;
  const all: Entry[] = (await call('GET', path)).body.checkpoints;
  expect(all.map(({ run_id }) => run_id)).toEqual(Array(all.length).fill(second.run_id));
  expect(await allOf(call, path, 'checkpoints', 3)).toEqual(all);
  const [root, steps] = [all.filter(({ within }) => within === null), all.filter(({ within }) => within)];
  expect(root.map(({ agent }) => agent)).toEqual(['closer', 'clerk', null, null]);
  expect(steps.map(({ agent, within }) => `${within} ${agent}`)).toEqual([
    ...['clerk send', 'clerk write', 'clerk null', 'clerk null'],
  ]);
  expect(await changed('two', root[0])).toEqual(['messages', 'outputs']);
  expect(await changed('two', root[1])).toEqual(['messages', 'outputs']);
  expect(await changed('two', steps[0])).toEqual(['result']);
  expect(await changed('two', steps[1])).toEqual(['draft']);
  expect((await at('two', steps[1]?.checkpoint_id ?? '')).values.draft).toBe('re: two');
  expect(steps.at(-1)?.parent_id).toBeNull();
  // Without a run: the graph's own, of all runs.
  const plain: Entry[] = (await call('GET', '/threads/two/checkpoints?limit=100')).body.checkpoints;
  expect(plain.map(({ within }) => within)).toEqual(Array(8).fill(null));
  expect(plain[4]?.run_id).toBe(first.run_id);
  expect((await call('GET', '/threads/two/checkpoints?run_id=unknown')).body.checkpoints).toEqual([]);
});
