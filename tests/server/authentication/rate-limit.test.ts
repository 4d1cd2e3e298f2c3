/** The rate limit of chats per caller. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { ANN, basic, bearer, pairOf, protectedConfig, ROBOT } from '../support/credentials.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

// Hashing passwords and starting processes are slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const limit = 'web_configuration:\n  rate_limit: {requests_per_minute: 2}';
const service = runningService(provider, protectedConfig().replace('web_configuration:', limit));
const anonymous = runningService(provider, limit);
const forking = runningService(provider, limit);

test('a caller has one limit per minute over all of its credentials, and other callers are not affected', async () => {
  const { access_token } = await pairOf(service);
  const ask = (headers: Record<string, string>, body: object = { user_prompt: 'hi' }) =>
    service.chat(body, headers);
  // Requests that are rejected before the caller is known don't count.
  for (let round = 0; round < 3; round++) expect((await ask(ANN, {})).status).toBe(400);
  expect((await ask(basic('ann', 'wrong'))).status).toBe(401);
  for (let round = 0; round < 3; round++)
    expect((await service.fetch('/api/v1/chat', { headers: ANN })).status).toBe(405);
  for (const headers of [ANN, bearer(access_token)]) expect((await ask(headers)).status).toBe(200);
  for (const headers of [ANN, bearer(access_token)]) {
    const answer = await ask(headers);
    expectRefused(answer, 429, 'RATE_LIMITED');
    expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61);
    expect(answer.headers.get('ratelimit-reset')).toBe(answer.headers.get('retry-after'));
    expect(answer.headers.get('ratelimit-limit')).toBe('2');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  }
  expect((await ask(ROBOT)).status).toBe(200);
  expect((await service.fetch('/api/v1/threads', { headers: ANN })).status).toBe(200);
});

test('anonymous callers are distinguished by their address', async () => {
  const statuses = [];
  for (let round = 0; round < 3; round++) statuses.push((await anonymous.chat({ user_prompt: 'hi' })).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test('only a fork that continues counts as a chat', async () => {
  await forking.chat({ user_prompt: 'hi', thread_id: 'origin' });
  const listed = await (await forking.fetch('/api/v1/threads/origin/checkpoints')).json();
  const { checkpoints } = listed as { checkpoints: { checkpoint_id: string; next: string[] }[] };
  const at = checkpoints.find(({ next }) => next.length > 0);
  const fork = (body: object) =>
    forking.fetch('/api/v1/threads/origin/fork', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ checkpoint_id: at?.checkpoint_id, ...body }),
    });
  const statuses = [await fork({}), await fork({ run: true }), await fork({ run: true }), await fork({})];
  expect(statuses.map(({ status }) => status)).toEqual([201, 201, 429, 201]);
});
