/** GET /api/v1/statistics: counts, durations, tokens and costs of runs over time. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from './support/running.ts';

const provider = runningProvider();
const service = runningService(provider, 'models: [{model: test-model, price: {input: 1, output: 10}}]\n');

async function statistics(query: Record<string, string> = {}) {
  const response = await service.fetch(`/api/v1/statistics?${new URLSearchParams(query)}`);
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  const body: any = await response.json();
  return { status: response.status, body };
}

test('runs are counted by workflow, prompt version and hour, with their durations and usage', async () => {
  const before = new Date().toISOString();
  await service.chat({ user_prompt: 'My bike broke.' });
  await service.chat({ user_prompt: 'Mine too.' });
  provider.script = () => new Response('{"error":{"message":"no"}}', { status: 400 });
  expect((await service.chat({ user_prompt: 'And mine.' })).status).toBeGreaterThanOrEqual(500);
  const { status, body } = await statistics({ from: before });
  expect(status).toBe(200);
  const used = { runs: 3, failed: 1, cancelled: 0, input_tokens: 80, output_tokens: 40, cost: 0.00048 };
  expect(body).toMatchObject({ from: before, complete: true, span_seconds: 3600, all: used });
  const { duration_ms, first_token_ms } = body.all;
  expect(duration_ms.p50).toBeGreaterThan(0);
  expect(duration_ms.p95).toBeGreaterThanOrEqual(duration_ms.p50);
  expect(first_token_ms.p95).toBeLessThanOrEqual(duration_ms.p95);
  expect(body.groups).toMatchObject([{ workflow: 'classification-agent', ...used }]);
  const inSpans = body.spans.reduce((sum: number, { runs }: { runs: number }) => sum + runs, 0);
  expect(inSpans).toBe(3);
  const { body: byPrompt } = await statistics({ from: before, group_by: 'prompt' });
  expect(byPrompt.groups).toContainEqual(
    expect.objectContaining({
      prompt: {
        filename: 'classification-agent.support_responder.jinja',
        revision_id: 'default',
        version: 0,
      },
      runs: 2,
      failed: 0,
    }),
  );
  expect((await statistics({ workflow: 'knowledge-base-agent' })).body.all).toMatchObject({
    ...{ runs: 0, cost: null, duration_ms: null, first_token_ms: null },
  });
  const days = (await statistics()).body;
  expect(days).toMatchObject({ span_seconds: 86_400, all: { runs: 3 } });
  expect(days.spans).toHaveLength(8);
  expect((await statistics({ from: '2020-01-01T00:00:00Z' })).body.spans.length).toBeLessThan(100);
});

test.each([
  [{ from: '2026-11-23T08:00:00Z', to: '2026-11-23T08:00:00Z' }, 'from: expected a time before'],
  [{ to: '2026-02-31T25:00:00Z' }, 'to: expected a time'],
  [{ group_by: 'moon' }, 'group_by'],
])('%j is rejected', async (query, detail) => {
  const { status, body } = await statistics(query as Record<string, string>);
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect(body.detail).toStartWith(detail);
});

test('no period begins before the year 0, which has no four-digit form', async () => {
  const { status, body } = await statistics({ to: '0000-01-02T00:00:00Z' });
  expect(status).toBe(200);
  for (const time of [body.from, ...body.spans.map(({ start }: { start: string }) => start)])
    expect(time).toMatch(/^0000-01-01T/);
});
