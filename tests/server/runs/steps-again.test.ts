/** Steps of an agent's own graph: a turn stops between them, and a fork repeats one with a changed state. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

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
const request = { conversation_flow: 'steps', user_prompt: 'Write.' };

const stopped = ({ body }: { body: { stopped_at: object[] } }) => body.stopped_at;
const before = (agent: string, ...path: string[]) => [{ agent, when: 'before', path }];

test('a turn stops before a step of an agent, and continues step by step', async () => {
  const first = await service.chat({ ...request, thread_id: 'stopped', interrupt_before: ['clerk:send'] });
  expect(stopped(first)).toEqual(before('send', 'clerk'));
  const calls = provider.requests.length;
  const second = await call('POST', '/threads/stopped/resume', { step: true });
  expect(stopped(second)).toEqual(before('closer'));
  // Texts that are already written are not written again.
  expect(provider.requests.length).toBe(calls);
  const last = await call('POST', '/threads/stopped/resume', {});
  expect(last.body).toMatchObject({ event_type: null, stopped_at: [] });
  expect(last.body.outputs.map(({ agent }: { agent: string }) => agent)).toEqual(['clerk', 'closer']);
  const complete = await service.chat({ ...request, thread_id: 'whole' });
  expect(complete.body.event_type).toBeNull();
});

test("a fork repeats a step with the agent's changed state", async () => {
  const { run_id } = (await service.chat({ ...request, thread_id: 'origin' })).body;
  const path = `/threads/origin/checkpoints?run_id=${run_id}`;
  const all: { checkpoint_id: string; within: string | null; next: string[] }[] = (await call('GET', path))
    .body.checkpoints;
  const at = all.find(({ within, next }) => within === 'clerk' && next.includes('send'));
  provider.requests.length = 0;
  const changes = { checkpoint_id: at?.checkpoint_id, replace: { draft: 'mine' }, run: true };
  const { status, body } = await call('POST', '/threads/origin/fork', changes);
  expect(status).toBe(201);
  const run = () => call('GET', `/runs/${body.run_id}`);
  await until(async () => (await run()).body.status === 'succeeded');
  const { outputs, messages } = (await call('GET', `/threads/${body.thread_id}/checkpoints?limit=1`).then(
    async ({ body: { checkpoints } }) =>
      (
        await call('GET', `/threads/${body.thread_id}/checkpoints/${checkpoints[0].checkpoint_id}`)
      ).body.values,
  )) as { outputs: { agent: string; content: string }[]; messages: { content: string }[] };
  expect(outputs.map(({ agent }) => agent)).toEqual(['clerk', 'closer']);
  expect(outputs[0]?.content).toBe('Sent: mine');
  expect(messages[1]?.content).toBe('Sent: mine');
  // Only the second agent calls the model again.
  expect(provider.requests.length).toBe(1);
});

test('unknown steps are rejected', async () => {
  const { status, body } = await service.chat({ ...request, interrupt_before: ['clerk:nothing'] });
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect((await service.chat({ ...request, interrupt_after: ['closer:write'] })).status).toBe(400);
});
