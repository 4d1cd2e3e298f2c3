/** The status of a workflow: its entry and the statistics of its runs. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Script } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { echoing, failure } from '../support/calls.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider } from '../support/running.ts';
import { ENTRY } from '../support/workflow-entry.ts';

const provider = runningProvider();
let service: TestService;

beforeEach(async () => {
  service = await testService({ env: providerEnv(provider.url) });
});

afterEach(() => service.close());

const status = (name = 'classification-agent') => answerOf(service.fetch(`/api/v1/workflow-status/${name}`));

const broken = () => failure(400);

async function runs(count: number, script: Script = echoing()) {
  provider.script = script;
  for (let run = 0; run < count; run++) await service.chat({ user_prompt: 'hi' });
}

test('a workflow that never ran is ready, without statistics', async () => {
  expect((await status()).body).toEqual({
    ...ENTRY,
    status: 'ready',
    last_run_at: null,
    runs: { succeeded: 0, failed: 0 },
    latency_ms: { p50: null, p95: null },
  });
});

test('it is found by every name of the workflow, and by no other', async () => {
  for (const name of ['classification_agent', 'CLASSIFICATION-AGENT']) {
    expect((await status(name)).body.workflow).toBe('classification-agent');
  }
  expectRefused(await status('nope'), 404, 'WORKFLOW_NOT_FOUND');
});

test('it has the number of runs, the time of the last one and the latencies', async () => {
  const before = Date.now();
  await runs(3);
  await runs(1, broken);
  const { body } = await status();
  expect(body).toMatchObject({ status: 'ready', runs: { succeeded: 3, failed: 1 } });
  expect(body.last_run_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(body.last_run_at)).toBeGreaterThanOrEqual(before);
  const { p50, p95 } = body.latency_ms;
  expect(p50).toBeGreaterThanOrEqual(0);
  expect(p95).toBeGreaterThanOrEqual(p50);
});

test('it is failing after three consecutive failures, and ready again after a success', async () => {
  const seen = [];
  for (const script of [echoing(), broken, broken, broken, echoing(), broken]) {
    await runs(1, script);
    seen.push((await status()).body.status);
  }
  expect(seen).toEqual(['ready', 'ready', 'ready', 'failing', 'ready', 'ready']);
});

test('it does not count rejected requests', async () => {
  expectRefused(await service.chat({ user_prompt: '' }), 400, 'INVALID_REQUEST');
  expectRefused(
    await service.chat({ user_prompt: 'hi', conversation_flow: 'nope' }),
    400,
    'INVALID_WORKFLOW_TYPE',
  );
  expect((await status()).body).toMatchObject({ last_run_at: null, runs: { succeeded: 0, failed: 0 } });
});
