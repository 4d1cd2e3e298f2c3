/** GET /api/v1/runs/{run_id}/calls: the messages and responses of a recent run's model calls. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLASSIFIED } from '../../support/provider.ts';
import { providerEnv, testService } from '../../support/service.ts';
import { echoing, failure } from '../support/calls.ts';
import { ANN, BOB, protectedConfig } from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-calls-'));
afterAll(() => rmSync(folder, { recursive: true }));

const provider = runningProvider();
const open = (config = '') => testService({ env: providerEnv(provider.url), folder, config });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const TIMES = { started_at: expect.stringMatching(TIME), duration_ms: expect.any(Number) };
const USED = { input_tokens: 20, output_tokens: 10 };

test('each call is returned with its messages, its response and its prompts until the service restarts', async () => {
  const first = await open('workflows: {classification-agent: {followup_questions: true}}');
  const { run_id } = (await first.chat({ user_prompt: 'A pedal broke.', thread_id: 'a' })).body;
  const { status, body } = await callsOf(first)('GET', `/runs/${run_id}/calls`);
  const conversations = provider.requests.map(({ messages }) => messages);
  const entry = (agent: string | null, task: string, index: number, response: string) => ({
    ...{
      agent,
      step: null,
      model: 'test-model',
      task,
      messages: conversations[index],
      response,
      usage: USED,
    },
    ...{ ...TIMES, attempt: 1, first_token_ms: expect.any(Number), whole: true },
    ...(task !== 'answer' && { response_format: provider.requests[index]?.response_format }),
    prompts:
      agent === null ? [] : [expect.objectContaining({ filename: `classification-agent.${agent}.jinja` })],
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      kept: true,
      left_out: 0,
      models: ['test-model'],
      calls: [
        entry('classification_agent', 'classification', 0, JSON.stringify(CLASSIFIED)),
        entry('support_responder', 'answer', 1, 're: A pedal broke.'),
        entry(null, 'followup_questions', 2, '{"questions":["Which model?","Since when?"]}'),
      ],
    },
  });
  expect(JSON.stringify(body)).not.toContain('secret-key');
  await first.close();
  const second = await open();
  expect((await callsOf(second)('GET', `/runs/${run_id}/calls`)).body).toEqual({
    calls: [],
    left_out: 0,
    kept: false,
    models: ['test-model'],
  });
  await second.close();
});

test('a failed call has its request and the reason', async () => {
  const service = await open();
  provider.script = echoing({ answer: () => failure(400) });
  await service.chat({ user_prompt: 'x', thread_id: 'f' });
  const call = callsOf(service);
  const [run] = (await call('GET', '/threads/f/runs')).body.runs;
  const { calls } = (await call('GET', `/runs/${run.run_id}/calls`)).body;
  expect(calls[1]).toMatchObject({
    agent: 'support_responder',
    messages: [{ role: 'system' }, { role: 'user', content: 'x' }],
    response: null,
    error_code: 'MODEL_CALL_FAILED',
    error_detail: "Model 'test-model': the provider answered 400: provider text canary 400",
    usage: { input_tokens: 0, output_tokens: 0 },
  });
  await service.close();
});

test('a long text is truncated and marked', async () => {
  const service = await open();
  const { run_id } = (await service.chat({ user_prompt: 'long '.repeat(19_000) })).body;
  const again = (await service.chat({ user_prompt: 'short' })).body;
  provider.script = echoing({ answer: () => 'x'.repeat(300_000) });
  const huge = (await service.chat({ user_prompt: 'y' })).body;
  const call = callsOf(service);
  expect((await call('GET', `/runs/${run_id}/calls`)).body.calls[1].messages[1].content).toHaveLength(95_000);
  expect((await call('GET', `/runs/${again.run_id}/calls`)).body.kept).toBe(true);
  const { response } = (await call('GET', `/runs/${huge.run_id}/calls`)).body.calls[1];
  expect(response).toStartWith('xxx');
  expect(response.length).toBeLessThan(140_000);
  expect(response).toEndWith(`… [${300_000 - 131_072} characters left out]`);
  await service.close();
});

test("a run's calls are only visible to its owner, and are deleted with its thread", async () => {
  const service = await open(protectedConfig());
  const { run_id } = (await service.chat({ user_prompt: 'mine', thread_id: 'own' }, ANN)).body;
  const get = (headers: Record<string, string>, id = run_id) =>
    answerOf(service.fetch(`/api/v1/runs/${id}/calls`, { headers }));
  expect((await get(ANN)).body.calls).toHaveLength(2);
  expectRefused(await get(BOB), 404, 'RUN_NOT_FOUND');
  expectRefused(await get(ANN, 'unknown'), 404, 'RUN_NOT_FOUND');
  await service.fetch('/api/v1/threads/own', { method: 'DELETE', headers: ANN });
  expectRefused(await get(ANN), 404, 'RUN_NOT_FOUND');
  await service.close();
});
