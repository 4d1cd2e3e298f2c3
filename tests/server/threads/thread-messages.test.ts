/** GET /api/v1/threads/{thread_id}/messages, and runs over HTTP. */
import { expect, test } from 'bun:test';
import { echoing, failure } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { allOf, callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider);
const call = callsOf(service);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test('the conversation is listed oldest first, with outputs, tokens and feedback', async () => {
  const one = (await service.chat({ user_prompt: 'one', thread_id: 'm' })).body;
  const two = (await service.chat({ user_prompt: 'two', thread_id: 'm' })).body;
  const rated = await call('PUT', `/messages/${two.message_id}/feedback`, { rating: 4 });
  const { body } = await call('GET', '/threads/m/messages');
  expect(body.next_cursor).toBeNull();
  expect(body.messages.map(({ content }: { content: string }) => content)).toEqual([
    'one',
    one.agent_response,
    'two',
    two.agent_response,
  ]);
  const common = {
    status: 'complete',
    run_id: two.run_id,
    workflow: 'classification-agent',
    created_at: expect.stringMatching(TIME),
  };
  expect(body.messages[2]).toEqual({
    ...common,
    message_id: expect.any(String),
    role: 'user',
    content: 'two',
  });
  expect(body.messages[3]).toEqual({
    ...common,
    message_id: two.message_id,
    role: 'assistant',
    content: two.agent_response,
    token_count: two.token_count,
    feedback: rated.body.feedback,
    outputs: two.outputs,
  });
});

test('the pages of messages are complete, and a failed turn is only among the runs', async () => {
  for (const user_prompt of ['a', 'b', 'c']) await service.chat({ user_prompt, thread_id: 'n' });
  provider.script = echoing({ answer: () => failure(400) });
  await service.chat({ user_prompt: 'lost', thread_id: 'n' });
  const all = (await call('GET', '/threads/n/messages?limit=100')).body.messages;
  expect(all.length).toBe(6);
  expect(await allOf(call, '/threads/n/messages', 'messages', 4)).toEqual(all);
  const { runs } = (await call('GET', '/threads/n/runs')).body;
  expect(runs.map((run: { user_prompt: string; status: string }) => [run.user_prompt, run.status])).toEqual([
    ['lost', 'failed'],
    ['c', 'succeeded'],
    ['b', 'succeeded'],
    ['a', 'succeeded'],
  ]);
  expect(await allOf(call, '/threads/n/runs', 'runs', 3)).toEqual(runs);
});

test('a run has the shape of the contract', async () => {
  const turn = (await service.chat({ user_prompt: 'shape', thread_id: 'r' })).body;
  const { status, body } = await call('GET', `/runs/${turn.run_id}`);
  const agent = (name: string) => ({
    agent: name,
    state: 'finished',
    started_at: expect.stringMatching(TIME),
    duration_ms: expect.any(Number),
    usage: { input_tokens: 20, output_tokens: 10 },
    prompts: [
      {
        filename: `classification-agent.${name}.jinja`,
        revision_id: 'default',
        version: 0,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
    calls: [
      {
        model: 'test-model',
        task: name === 'classification_agent' ? 'classification' : 'answer',
        started_at: expect.stringMatching(TIME),
        duration_ms: expect.any(Number),
        first_token_ms: expect.any(Number),
        attempt: 1,
        input_tokens: 20,
        output_tokens: 10,
      },
    ],
    steps: [],
    tools: [],
    path: [],
    execution: 1,
    task_id: expect.any(String),
    from: [expect.any(String)],
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      run_id: turn.run_id,
      thread_id: 'r',
      message_id: turn.message_id,
      user_prompt: 'shape',
      title: 'shape',
      workflow: 'classification-agent',
      status: 'succeeded',
      attempt: 1,
      created_at: expect.stringMatching(TIME),
      started_at: expect.stringMatching(TIME),
      finished_at: expect.stringMatching(TIME),
      usage: { input_tokens: 40, output_tokens: 20 },
      agents: [agent('classification_agent'), agent('support_responder')],
      error: null,
    },
  });
  expect((await call('GET', '/runs?limit=1')).body.runs).toEqual([body]);
});

test('a failed run has its error, and a running one has no end', async () => {
  provider.script = echoing({ answer: () => failure(400) });
  const refused = expectRefused(
    await service.chat({ user_prompt: 'x', thread_id: 'f' }),
    500,
    'MODEL_CALL_FAILED',
  );
  const [failed] = (await call('GET', '/threads/f/runs')).body.runs;
  expect(failed).toMatchObject({ status: 'failed', error: { error_code: 'MODEL_CALL_FAILED' } });
  expect(failed.error.request_id).toBe(refused.request_id);
  const hold = Promise.withResolvers<string>();
  provider.script = echoing({ answer: () => hold.promise });
  const before = provider.requests.length;
  const busy = service.chat({ user_prompt: 'y', thread_id: 'f' });
  await until(() => provider.requests.length >= before + 2);
  const queued = service.chat({ user_prompt: 'z', thread_id: 'f' });
  await until(async () => (await call('GET', '/threads/f/runs')).body.runs.length === 3);
  const [second, first] = (await call('GET', '/threads/f/runs')).body.runs;
  expect(second).toMatchObject({ status: 'queued', started_at: null, finished_at: null });
  expect(first).toMatchObject({ status: 'running', finished_at: null, error: null });
  const statuses = async (status: string) =>
    (await call('GET', `/runs?status=${status}`)).body.runs.map((run: { run_id: string }) => run.run_id);
  expect(await statuses('running')).toEqual([first.run_id]);
  expect(await statuses('queued')).toEqual([second.run_id]);
  expect(await statuses('failed')).toContain(failed.run_id);
  expect(await statuses('succeeded')).not.toContain(failed.run_id);
  expect(await statuses('cancelled')).toEqual([]);
  hold.resolve('done');
  await Promise.all([busy, queued]);
});

test('runs are filtered by workflow, and invalid queries are rejected by name', async () => {
  await service.chat({ user_prompt: 'w', thread_id: 'w' });
  expect((await call('GET', '/runs?workflow=CLASSIFICATION_AGENT&limit=1')).body.runs.length).toBe(1);
  expect((await call('GET', '/runs?workflow=nope')).body).toEqual({ runs: [], next_cursor: null });
  for (const query of ['limit=0', 'status=idle', 'cursor=WzFd']) {
    const { detail } = expectRefused(await call('GET', `/runs?${query}`), 400, 'INVALID_REQUEST');
    expect(detail).toStartWith(`${query.split('=')[0]}:`);
  }
  for (const id of ['nope', '%00', Bun.randomUUIDv7()]) {
    expectRefused(await call('GET', `/runs/${id}`), 404, 'RUN_NOT_FOUND');
  }
});
