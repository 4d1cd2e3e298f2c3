/** The record of a run's agents: prompts, model calls and steps, in events and afterwards, also after restarts. */
import { afterAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allEvents, type SentEvent } from '../../support/events.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { askState } from '../../support/stored-state.ts';
import { echoing, failure } from '../support/calls.ts';
import { runningProvider } from '../support/running.ts';
import { until } from '../support/until.ts';

const STEPS = `
const Work = Annotation.Root({ ...AgentWork.spec, draft: Annotation() });
export default workflow({
  description: 'Drafts, asks, and sends.', example: 'Hello', agents: () => [{ name: 'clerk', description: 'C' }],
  build: ({ agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(Work)
      .addNode('write_draft', step('write_draft', async (state, { answer, prompt }) =>
        ({ draft: (await answer(await prompt())).content })))
      .addNode('ask', step('ask', async ({ messages }) =>
        ({ draft: messages.at(-1).text === 'ask' ? interrupt('?') : 'no question' })))
      .addNode('check_draft', step('check_draft', async (state, { extract }) => {
        await extract({ name: 'check', schema: Type.Object({ fine: Type.Boolean() }) }, 'You check.');
        return { result: { content: 'Sent', data: null } };
      }))
      .addEdge(START, 'write_draft').addEdge('write_draft', 'ask').addEdge('ask', 'check_draft').addEdge('check_draft', END)))
    .addEdge(START, 'clerk').addEdge('clerk', END),
});`;

const PROMPT = 'You write a draft.';

const folder = mkdtempSync(join(tmpdir(), 'skein-record-'));
mkdirSync(join(folder, 'graphs', 'steps', 'prompts'), { recursive: true });
writeFileSync(join(folder, 'graphs', 'steps', 'prompts', 'steps.clerk.write_draft.jinja'), PROMPT);
afterAll(() => rmSync(folder, { recursive: true }));

const provider = runningProvider();
const script = echoing();
const checking: typeof provider.script = (request, index) =>
  request.response_format?.json_schema?.name === 'check' ? { fine: true } : script(request, index);

const open = () => testService({ env: providerEnv(provider.url), folder, graphs: { steps: STEPS } });

async function withService<T>(use: (service: TestService) => Promise<T>): Promise<T> {
  const service = await open();
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

const ask = (service: TestService, body: object) =>
  service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_flow: 'steps', stream: true, ...body }),
  });

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
const agentsOf = async (service: TestService, runId: string): Promise<any[]> =>
  ((await (await service.fetch(`/api/v1/runs/${runId}`)).json()) as { agents: [] }).agents;

const endOf = (events: SentEvent[], agent: string) =>
  events.find(
    ({ event, data }) => event === 'agent' && data.agent === agent && data.duration_ms !== undefined,
  )?.data;

const used = (filename: string, text: string, revision_id = 'default', version = 0) => ({
  ...{ filename, revision_id, version },
  sha256: createHash('sha256').update(text).digest('hex'),
});

test('an agent with several steps: its events and its run agree, also without its events and after a restart', async () => {
  provider.script = checking;
  const { runId, agents } = await withService(async (service) => {
    const events = await allEvents(await ask(service, { user_prompt: 'hello' }));
    const runId: string = events[0]?.data.run_id;
    const [agent] = await agentsOf(service, runId);
    const { steps, tools, from, ...rest } = agent;
    expect(endOf(events, 'clerk')).toEqual({ ...rest, attempt: 1 });
    expect(tools).toEqual([]);
    expect(rest).toMatchObject({
      usage: { input_tokens: 40, output_tokens: 20 },
      prompts: [used('steps.clerk.write_draft.jinja', PROMPT)],
      calls: [
        { step: 'write_draft', task: 'answer', model: 'test-model', attempt: 1 },
        { step: 'check_draft', task: 'check', attempt: 1 },
      ],
    });
    expect(steps.map(({ step, state }: Record<string, string>) => `${step} ${state}`)).toEqual([
      ...['write_draft finished', 'ask finished', 'check_draft finished'],
    ]);
    const ended = events.filter(({ event, data }) => event === 'status' && data.state === 'finished');
    expect(
      ended.map(({ data: { step, started_at, duration_ms } }) => ({ step, started_at, duration_ms })),
    ).toEqual(
      steps.map(({ step, started_at, duration_ms }: Record<string, unknown>) => ({
        step,
        started_at,
        duration_ms,
      })),
    );
    expect(ended[0]?.data.text).toBe('write draft');
    return { runId, agents: [agent] };
  });
  await askState(folder, 'DELETE FROM events');
  await withService(async (service) => expect(await agentsOf(service, runId)).toEqual(agents));
});

test('a run that waits for a person has its record until then, with the step that waits', async () => {
  provider.script = checking;
  await withService(async (service) => {
    const events = await allEvents(await ask(service, { user_prompt: 'ask', thread_id: 'person' }));
    const [waiting] = await agentsOf(service, events[0]?.data.run_id);
    expect(waiting).toMatchObject({
      state: 'started',
      duration_ms: null,
      usage: { input_tokens: 20, output_tokens: 10 },
      calls: [{ step: 'write_draft' }],
      steps: [
        { step: 'write_draft', state: 'finished' },
        { step: 'ask', state: 'started', duration_ms: null },
      ],
    });
  });
});

test('a failed call has the reason and the number of attempts, and a failed step is marked', async () => {
  let refusals = 0;
  provider.script = echoing({ answer: () => failure(refusals++ === 0 ? 503 : 400) });
  await withService(async (service) => {
    const events = await allEvents(await ask(service, { user_prompt: 'hello' }));
    const failed = {
      state: 'failed',
      usage: { input_tokens: 0, output_tokens: 0 },
      calls: [
        {
          ...{ attempt: 2, first_token_ms: null, error_code: 'MODEL_CALL_FAILED', input_tokens: 0 },
          error_detail: "Model 'test-model': the provider answered 400: provider text canary 400",
        },
      ],
    };
    expect(endOf(events, 'clerk')).toMatchObject(failed);
    const [agent] = await agentsOf(service, events[0]?.data.run_id);
    expect(agent).toMatchObject({ ...failed, steps: [{ step: 'write_draft', state: 'failed' }] });
  });
});

test('an interrupted step is one step in the end, and the calls of earlier steps are recorded once', async () => {
  provider.script = (request, index) =>
    request.response_format?.json_schema?.name === 'check' ? new Promise(() => {}) : script(request, index);
  const runId = await withService(async (service) => {
    const response = await service.fetch('/api/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ conversation_flow: 'steps', user_prompt: 'hello' }),
    });
    await until(() => provider.requests.length === 2);
    return ((await response.json()) as { run_id: string }).run_id;
  });
  provider.script = checking;
  await withService(async (service) => {
    const events = await allEvents(await service.fetch(`/api/v1/runs/${runId}/stream`));
    const [agent] = await agentsOf(service, runId);
    expect(agent.steps.map(({ step, state }: Record<string, string>) => `${step} ${state}`)).toEqual([
      ...['write_draft finished', 'ask finished', 'check_draft finished'],
    ]);
    const calls = agent.calls.map(({ task, error_code }: Record<string, string>) => error_code ?? task);
    // The call that was running at the stop is recorded if it had ended by then.
    expect(calls.filter((call: string) => call !== 'SHUTTING_DOWN')).toEqual(['answer', 'check']);
    expect(agent.usage).toEqual({ input_tokens: 40, output_tokens: 20 });
    expect(events.at(-2)?.data.token_count).toBe(60);
  });
});

test('a custom prompt is recorded with its revision, version and hash', async () => {
  await withService(async (service) => {
    const save = (content: string) =>
      service.fetch('/api/v1/prompts/update/default/steps.clerk.write_draft.jinja', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content }),
      });
    provider.script = checking;
    for (const [index, text] of ['One.', 'Two.'].entries()) {
      expect((await save(text)).status).toBe(200);
      const events = await allEvents(await ask(service, { user_prompt: 'hello' }));
      expect(endOf(events, 'clerk').prompts).toEqual([
        used('steps.clerk.write_draft.jinja', text, 'default', index + 1),
      ]);
    }
    const history = join(folder, '.files/prompts/.history/default/steps.clerk.write_draft.jinja/2.json');
    writeFileSync(history, 'broken');
    writeFileSync(join(folder, '.files/prompts/default/steps.clerk.write_draft.jinja'), 'Three.');
    const events = await allEvents(await ask(service, { user_prompt: 'hello' }));
    expect(endOf(events, 'clerk').prompts).toEqual([
      used('steps.clerk.write_draft.jinja', 'Three.', 'default', 3),
    ]);
  });
});
