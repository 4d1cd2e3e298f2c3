/** GET /api/v1/usage: tokens and costs of a caller's runs. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from './support/running.ts';

const KEY = 'key-of-the-batch-0123456789abcdef';
const CONFIG = `
models: [{model: test-model, price: {input: 1, output: 10}}]
web_configuration:
  authentication:
    enable: true
    jwt_secret_key: 0123456789abcdef0123456789abcdef
    username: ann
    password: a long password
    api_keys: [{name: batch, sha256: ${new Bun.CryptoHasher('sha256').update(KEY).digest('hex')}}]
`;
const ANN = { authorization: `Basic ${btoa('ann:a long password')}` };
const BATCH = { 'x-api-key': KEY };

const service = runningService(runningProvider(), CONFIG);
const today = new Date().toISOString().slice(0, 10);

async function usage(query: string, headers: Record<string, string> = ANN) {
  const response = await service.fetch(`/api/v1/usage${query}`, { headers });
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  const body: any = await response.json();
  return { status: response.status, body };
}

test('a caller sees the usage of its own runs, even after their threads are deleted', async () => {
  const { body } = await service.chat({ user_prompt: 'My bike broke.' }, ANN);
  await service.chat({ user_prompt: 'Mine too.' }, BATCH);
  const deleted = await service.fetch(`/api/v1/threads/${body.thread_id}`, {
    method: 'DELETE',
    headers: ANN,
  });
  expect(deleted.ok).toBe(true);
  const used = { runs: 1, input_tokens: 40, output_tokens: 20, cost: 0.00024 };
  expect((await usage('')).body).toEqual({ usage: [{ day: today, ...used }] });
  expect((await usage('?group_by=caller')).body).toEqual({ usage: [{ caller: 'user:ann', ...used }] });
  expect((await usage('?group_by=caller', BATCH)).body).toEqual({
    usage: [{ caller: 'key:batch', ...used }],
  });
  const named = async (by: string) => (await usage(`?group_by=${by}&from=${today}&to=${today}`)).body.usage;
  expect(await named('workflow')).toEqual([{ workflow: 'classification-agent', ...used }]);
  expect(await named('model')).toEqual([{ model: 'test-model', ...used }]);
  expect((await usage('?from=2020-01-01&to=2020-02-01')).body).toEqual({ usage: [] });
  expect((await usage(`?from=${today}T00:00:00Z`)).body.usage).toHaveLength(1);
});

test.each([
  ['?from=yesterday', 'from'],
  ['?from=2026-02-30', 'from'],
  ['?to=2026-13-01', 'to'],
  ['?to=2026-11-01T25:00', 'to'],
  ['?from=2026-02-02&to=2026-02-01', 'from'],
  ['?group_by=owner', 'group_by'],
])('%s is rejected with its name', async (query, parameter) => {
  const { status, body } = await usage(query);
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect(body.detail).toStartWith(`${parameter}: expected`);
});
