/** A process that is killed between two steps of an agent: the calls of earlier steps are in the run's record. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { echoing } from '../server/support/calls.ts';
import { until } from '../server/support/until.ts';
import { allEvents } from '../support/events.ts';
import { spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv, writeGraphs } from '../support/service.ts';

const STEPS = `
export default workflow({
  description: 'Works in two steps.', example: 'Hello', agents: () => [{ name: 'clerk', description: 'C' }],
  build: ({ agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(AgentWork)
      .addNode('first', step('first', async (state, { answer }) => { await answer('You are first.'); return {}; }))
      .addNode('second', step('second', async (state, { answer }) =>
        ({ result: { content: (await answer('You are second.')).content, data: null } })))
      .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END)))
    .addEdge(START, 'clerk').addEdge('clerk', END),
});`;

const folder = mkdtempSync(join(tmpdir(), 'skein-killed-record-'));
const provider = scriptedProvider(
  echoing({ answer: (_, index) => (index === 1 ? new Promise<Response>(() => {}) : 'Done.') }),
);
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

test('each call is recorded and counted once, and the interrupted step is one step', async () => {
  await writeGraphs(folder, { steps: STEPS });
  const env = providerEnv(provider.url);
  const first = await spawnService(folder, env);
  const accepted = await fetch(`${first.url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ conversation_flow: 'steps', user_prompt: 'hello' }),
  });
  const { run_id } = (await accepted.json()) as { run_id: string };
  await until(() => provider.requests.length === 2, 20_000);
  first.kill('SIGKILL');
  await first.exited;

  const last = await spawnService(folder, env);
  const events = await allEvents(await fetch(`${last.url}/api/v1/runs/${run_id}/stream`));
  const run = (await (await fetch(`${last.url}/api/v1/runs/${run_id}`)).json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
    agents: any[];
    usage: object;
  };
  const usage = { input_tokens: 40, output_tokens: 20 };
  const calls = [{ step: 'first' }, { step: 'second' }];
  expect(run).toMatchObject({ usage, agents: [{ agent: 'clerk', state: 'finished', usage }] });
  expect(run.agents[0].calls).toMatchObject(calls);
  expect(run.agents[0].steps).toMatchObject(calls.map((call) => ({ ...call, state: 'finished' })));
  const end = events.find(({ event, data }) => event === 'agent' && data.state === 'finished');
  expect(end?.data).toMatchObject({ attempt: 2, usage, calls });
  expect(provider.requests).toHaveLength(3);
  last.kill('SIGKILL');
  await last.exited;
}, 180_000);
