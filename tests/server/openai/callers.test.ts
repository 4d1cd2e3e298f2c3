/** Access over OpenAI's API, and its rate limit: as in every protocol, with OpenAI's error format. */
import { expect, test } from 'bun:test';
import OpenAI from 'openai';
import { bearer, KEY, pairOf, protectedConfig } from '../support/credentials.ts';
import { expectOpenAIRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const config = `${protectedConfig()}  rate_limit: {requests_per_minute: 3}\n`;
const service = runningService(provider, config, GRAPHS);

const openai = (apiKey: string) => new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });
const complete = (apiKey: string, more: object = {}) =>
  openai(apiKey).chat.completions.create({
    ...{ model: 'echo', messages: [{ role: 'user', content: 'hi' }], ...more },
    stream: false,
  });

async function refused(call: Promise<unknown>) {
  const { status, code, type } = (await call.catch((thrown) => thrown)) as InstanceType<
    typeof OpenAI.APIError
  >;
  return { status, code, type };
}

test('a key of the service and an access token are accepted as API keys', async () => {
  const { access_token } = await pairOf(service);
  for (const key of [KEY, access_token])
    expect((await complete(key)).choices[0]?.message.content).toBe('re: hi');
});

test("without a valid key, requests are rejected with OpenAI's error format", async () => {
  const unauthorized = { status: 401, code: 'UNAUTHORIZED', type: 'authentication_error' };
  expect(await refused(complete('wrong'))).toEqual(unauthorized);
  expect(await refused(Promise.resolve(openai('wrong').models.list()))).toEqual(unauthorized);
  const bare = await service.fetch('/v1/models');
  expect(bare.headers.get('www-authenticate')).toContain('Bearer');
  await expectOpenAIRefused(Promise.resolve(bare), 401, 'UNAUTHORIZED');
});

test('an unknown path below /v1 and a wrong method are rejected in the same format', async () => {
  for (const [method, path, status, code] of [
    ['GET', '/v1/embeddings', 404, 'NOT_FOUND'],
    ['DELETE', '/v1/models', 405, 'METHOD_NOT_ALLOWED'],
  ] as const) {
    await expectOpenAIRefused(service.fetch(path, { method, headers: bearer(KEY) }), status, code);
  }
});

test('a thread is visible only to its caller', async () => {
  const { access_token } = await pairOf(service, 'bob', 'other-password-canary');
  const thread = { metadata: { thread_id: 'mine' } };
  await complete(access_token, thread);
  const seen = await service.fetch('/api/v1/threads/mine', { headers: bearer(KEY) });
  expect(seen.status).toBe(404);
});

test('completions count as chats', async () => {
  const limited = { status: 429, code: 'RATE_LIMITED', type: 'rate_limit_error' };
  const results = [];
  for (let n = 0; n < 5; n++) results.push(await refused(complete(KEY)));
  expect(results.at(-1)).toEqual(limited);
});
