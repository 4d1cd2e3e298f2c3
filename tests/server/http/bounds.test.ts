/** Limits of a turn: its deadline, its budget and full queues. */
import { describe, expect, test } from 'bun:test';
import { CLASSIFIED, chunk, eventStream } from '../../support/provider.ts';
import { echoing } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { type RunningService, runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();

const never = () => new Promise<Response>(() => {});

/** Milliseconds until the turn fails with RUN_TIMEOUT. */
async function timeoutOf(service: RunningService, body: object): Promise<number> {
  provider.script = echoing({ answer: never });
  const start = performance.now();
  const answer = await service.chat({ user_prompt: 'hi', ...body });
  const elapsed = performance.now() - start;
  expectRefused(answer, 500, 'RUN_TIMEOUT');
  await until(() => provider.aborted === 1, 20_000);
  return elapsed;
}

describe('with the usual limits', () => {
  const service = runningService(provider);

  test('deadline_seconds ends the turn with RUN_TIMEOUT, not earlier, and aborts the model call', async () => {
    const elapsed = await timeoutOf(service, { deadline_seconds: 1, thread_id: 'late' });
    expect(elapsed).toBeGreaterThanOrEqual(1_000);
    expect(elapsed).toBeLessThan(20_000);
    expect((await storedIn(service.folder)).runs.at(-1)).toMatchObject({
      status: 'failed',
      code: 'RUN_TIMEOUT',
    });
  });

  test('a budget below the first call is rejected before any call', async () => {
    const answer = await service.chat({ user_prompt: 'hi', max_tokens_budget: 5 });
    expectRefused(answer, 500, 'BUDGET_EXCEEDED');
    expect(provider.requests).toEqual([]);
  });

  test('a budget that the first call uses up prevents the second', async () => {
    provider.script = echoing({ classification: () => expensive(CLASSIFIED, 9_000) });
    const answer = await service.chat({ user_prompt: 'hi', max_tokens_budget: 9_010 });
    expectRefused(answer, 500, 'BUDGET_EXCEEDED');
    expect(provider.requests).toHaveLength(1);
  });
});

describe('with tight limits', () => {
  const service = runningService(
    provider,
    'limits: {run_seconds: 0.3, queue_seconds: 0.1, run_tokens: 1000, queued_turns_per_thread: 1}',
  );

  test('a longer deadline is reduced to the limit', async () => {
    const elapsed = await timeoutOf(service, { deadline_seconds: 100 });
    expect(elapsed).toBeGreaterThanOrEqual(300);
    // Far below the requested hundred seconds, also on a busy machine.
    expect(elapsed).toBeLessThan(20_000);
  });

  test('a larger budget is reduced to the limit', async () => {
    provider.script = echoing({ classification: () => expensive(CLASSIFIED, 1_000) });
    expectRefused(
      await service.chat({ user_prompt: 'hi', max_tokens_budget: 1_000_000 }),
      500,
      'BUDGET_EXCEEDED',
    );
    expect(provider.requests).toHaveLength(1);
  });

  test("turns beyond a thread's limit get THREAD_BUSY, and those that wait too long RUN_TIMEOUT", async () => {
    provider.script = echoing({ classification: never });
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((user_prompt) => service.chat({ user_prompt, thread_id: 't' })),
    );
    const codes = answers.map(({ status, body }) => `${status} ${body.error_code}`);
    expect(codes.toSorted()).toEqual(['409 THREAD_BUSY', '500 RUN_TIMEOUT', '500 RUN_TIMEOUT']);
    expect(provider.requests).toHaveLength(1);
  });
});

describe('with two turns that run and two that wait', () => {
  const service = runningService(provider, 'limits: {concurrent_runs: 2, queued_runs: 2}');
  const chat = () => service.chat({ user_prompt: 'hi' });

  test('turns beyond the limit over all threads get OVERLOADED with Retry-After', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    provider.script = echoing({ answer: async () => promise.then(() => 'done') });
    const accepted: ReturnType<typeof chat>[] = [];
    while (accepted.length < 4) {
      accepted.push(chat());
      await until(async () => (await storedIn(service.folder)).runs.length === accepted.length);
    }
    for (const refused of await Promise.all([chat(), chat()])) {
      expectRefused(refused, 503, 'OVERLOADED');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    release();
    for (const { status } of await Promise.all(accepted)) expect(status).toBe(200);
  });

  test('a repeated request gets its run even if the queue is full', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    provider.script = echoing({ answer: async () => promise.then(() => 'done') });
    const keyed = () => service.chat({ user_prompt: 'hi' }, { 'idempotency-key': 'full' });
    const accepted = [keyed(), chat(), chat(), chat()];
    await until(async () => (await storedIn(service.folder)).runs.length === 4);
    expectRefused(await chat(), 503, 'OVERLOADED');
    const repeated = keyed();
    // A body that can't be read is not read.
    const unread = await fetch(`${service.url}/api/v1/chat`, { method: 'POST', body: 'no JSON' });
    expect(unread.status).toBe(503);
    release();
    const [first] = await Promise.all(accepted);
    expect((await repeated).body).toEqual(first?.body);
  });
});

describe('with one turn that may wait on a thread', () => {
  const service = runningService(provider, 'limits: {queued_turns_per_thread: 1}');

  test('a rejected supersede does not cancel the running turn', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    provider.script = echoing({ answer: async () => promise.then(() => 'done') });
    const turn = (body: object) => service.chat({ user_prompt: 'hi', thread_id: 't', ...body });
    const running = turn({});
    await until(() => provider.requests.length === 2);
    const waiting = turn({});
    await until(async () => (await storedIn(service.folder)).runs.length === 2);
    expectRefused(await turn({ multitask_strategy: 'supersede' }), 409, 'THREAD_BUSY');
    release();
    expect((await Promise.all([running, waiting])).map(({ status }) => status)).toEqual([200, 200]);
  });
});

/** An answer that reports this many tokens. */
function expensive(value: object, prompt_tokens: number): Response {
  const head = { id: 'c', created: 1, model: 'test-model' };
  const delta = { content: JSON.stringify(value) };
  const usage = { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens };
  return eventStream(
    `${chunk(head, { choices: [{ index: 0, delta, finish_reason: 'stop' }] })}${chunk(head, { choices: [], usage })}data: [DONE]\n\n`,
  );
}
