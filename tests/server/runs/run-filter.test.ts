/** GET /api/v1/runs with filters: matches, and rejected values. */
import { expect, test } from 'bun:test';
import type { ChatRequest } from '../../support/provider.ts';
import { echoing, failure, questionOf } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';

const provider = runningProvider();
const service = runningService(provider);

interface Listed {
  runs: { user_prompt: string }[];
  next_cursor: string | null;
  error_code: string;
  detail: string;
}

async function ask(query: Record<string, string>): Promise<{ status: number; body: Listed }> {
  const response = await service.fetch(`/api/v1/runs?${new URLSearchParams(query)}`);
  return { status: response.status, body: (await response.json()) as Listed };
}

async function promptsOf(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await ask(query);
  expect(status).toBe(200);
  return body.runs.map(({ user_prompt }) => user_prompt);
}

const RESPONDER = 'classification-agent.support_responder.jinja';

test('runs are filtered by each field and by combinations', async () => {
  const before = new Date().toISOString();
  provider.script = echoing({
    answer: (request: ChatRequest) => (questionOf(request) === 'fails' ? failure(400) : 'fine'),
  });
  const good = (await service.chat({ user_prompt: 'good' })).body;
  await service.chat({ user_prompt: 'fails' });
  const between = new Date().toISOString();
  await Bun.sleep(2);
  const bad = (await service.chat({ user_prompt: 'bad' })).body;
  for (const [message, positive_feedback] of [
    [good.message_id, true],
    [bad.message_id, false],
  ])
    await service.fetch(`/api/v1/messages/${message}/feedback`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ positive_feedback }),
    });
  const all = ['bad', 'fails', 'good'];
  for (const [query, found] of [
    [{ from: before }, all],
    [{ from: between }, ['bad']],
    [{ to: between }, ['fails', 'good']],
    [{ from: before, to: before }, []],
    [{ min_tokens: '1' }, all],
    [{ min_tokens: '60' }, ['bad', 'good']],
    [{ min_tokens: '999999999999' }, []],
    [{ min_cost: '0.01' }, []],
    [{ min_duration_ms: '0' }, all],
    [{ min_duration_ms: '3600000' }, []],
    [{ error_code: 'MODEL_CALL_FAILED' }, ['fails']],
    [{ prompt: RESPONDER }, all],
    [{ prompt: RESPONDER, prompt_version: '0', prompt_revision: 'default' }, all],
    [{ prompt: RESPONDER, prompt_version: '7' }, []],
    [{ prompt: "' OR 1=1 --" }, []],
    [{ feedback: 'positive' }, ['good']],
    [{ feedback: 'negative', status: 'succeeded', min_tokens: '1' }, ['bad']],
    [{ feedback: 'negative', workflow: 'nowhere' }, []],
  ] as [Record<string, string>, string[]][])
    expect([query, await promptsOf(query)]).toEqual([query, found]);
  const first = await ask({ min_tokens: '1', limit: '2' });
  const rest = await ask({ min_tokens: '1', limit: '2', cursor: first.body.next_cursor ?? '' });
  expect([...first.body.runs, ...rest.body.runs].map(({ user_prompt }) => user_prompt)).toEqual(all);
  expect(rest.body.next_cursor).toBe(null);
});

test.each([
  ['from', 'yesterday'],
  ['to', '2026-13-01T00:00:00Z'],
  ['min_duration_ms', '-1'],
  ['min_tokens', '1e9'],
  ['min_cost', 'NaN'],
  ['min_cost', '1'.repeat(400)],
  ['error_code', "X' OR '1'='1"],
  ['prompt', ''],
  ['prompt', 'x'.repeat(400)],
  ['prompt_version', '1'],
  ['prompt_revision', 'v1'],
  ['feedback', 'maybe'],
])('%s=%s is rejected with its name', async (name, value) => {
  const { status, body } = await ask({ [name]: value });
  expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
  expect(body.detail).toContain(name);
});
