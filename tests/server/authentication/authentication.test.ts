/** Logins, tokens, API keys and HTTP Basic over HTTP. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { testService } from '../../support/service.ts';
import { askState } from '../../support/stored-state.ts';
import {
  ANN,
  BOB,
  basic,
  bearer,
  KEY,
  login,
  OTHER_PASSWORD,
  PASSWORD,
  pairOf,
  post,
  protectedConfig,
  ROBOT,
} from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

// Hashing passwords and starting processes are slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const service = runningService(provider, protectedConfig('failed_logins_per_minute: 1000'));

const verify = (headers: Record<string, string>) => service.fetch('/api/v1/auth/verify', { headers });
const refresh = (refresh_token: string) => post(service, '/api/v1/auth/refresh', { refresh_token });

const CHALLENGES = 'Basic realm="skein", charset="UTF-8", Bearer realm="skein"';

describe('login', () => {
  test.each([
    ['ann', PASSWORD],
    ['bob', OTHER_PASSWORD],
  ])('gives %s a pair of tokens with the lifetimes of the settings', async (username, password) => {
    const response = await login(service, username, password);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 86_400,
    });
  });

  test.each([
    ['ann', 'wrong'],
    ['ann', ''],
    ['ann', OTHER_PASSWORD],
    ['bob', PASSWORD],
    ['nobody', PASSWORD],
    ['', PASSWORD],
    ['ANN', PASSWORD],
    ['robot', KEY],
  ])('rejects %p with %p', async (username, password) => {
    const answer = await answerOf(login(service, username, password));
    expectRefused(answer, 401, 'UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe(CHALLENGES);
  });

  test.each([{}, { username: 'ann' }, { username: 'ann', password: 1 }])(
    'an invalid body gets 400: %p',
    async (body) => {
      expectRefused(await answerOf(post(service, '/api/v1/auth/login', body)), 400, 'INVALID_REQUEST');
    },
  );
});

describe('verify', () => {
  test('returns the caller and the expiry of an access token', async () => {
    const { access_token } = await pairOf(service);
    const body = (await (await verify(bearer(access_token))).json()) as { expires_at: string };
    expect(body).toEqual({ valid: true, username: 'ann', expires_at: expect.any(String) } as never);
    const left = Date.parse(body.expires_at) - Date.now();
    expect(left).toBeGreaterThan(86_300_000);
    expect(left).toBeLessThanOrEqual(86_400_000);
  });

  test.each([
    ['ann', ANN],
    ['bob', BOB],
    ['robot', ROBOT],
    ['robot', bearer(KEY)],
    ['ann', { authorization: ANN.authorization.replace('Basic', 'bAsIc ') }],
  ])('returns the caller %s', async (username, headers) => {
    const response = await verify(headers);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ valid: true, username, expires_at: null });
  });
});

describe('refresh', () => {
  test('returns a new access token and the same refresh token, which stays valid', async () => {
    const pair = await pairOf(service);
    for (let round = 0; round < 3; round++) {
      const body = (await (await refresh(pair.refresh_token)).json()) as typeof pair;
      expect(body).toEqual({
        ...pair,
        access_token: expect.not.stringMatching(pair.access_token),
      });
      expect((await verify(bearer(body.access_token))).status).toBe(200);
    }
  });

  test('rejects access tokens, and verify rejects refresh tokens', async () => {
    const { access_token, refresh_token } = await pairOf(service);
    for (const response of [
      refresh(access_token),
      verify(bearer(refresh_token)),
      refresh(KEY),
      refresh(''),
    ]) {
      const answer = await answerOf(response);
      expectRefused(answer, 401, 'UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  test('with rotation, each use returns a new pair, a retry after a lost response succeeds, and both survive a restart', async () => {
    const config = protectedConfig('rotate_refresh_tokens: true');
    const first = await testService({ config });
    const folder = `${first.folder}-kept`;
    await first.close();
    const rotate = (at: typeof first, token: string) =>
      post(at, '/api/v1/auth/refresh', { refresh_token: token });
    const before = await testService({ config, folder });
    const pair = await pairOf(before);
    const second = (await (await rotate(before, pair.refresh_token)).json()) as typeof pair;
    expect(second.refresh_token).not.toBe(pair.refresh_token);
    expect((await rotate(before, pair.refresh_token)).status).toBe(200);
    await before.close();
    const after = await testService({ config, folder });
    await ageSpentTokens(after, 31_000);
    expect((await rotate(after, pair.refresh_token)).status).toBe(401);
    // The reuse revokes the whole family.
    expect((await rotate(after, second.refresh_token)).status).toBe(401);
    // Another login starts another family.
    expect((await rotate(after, (await pairOf(after)).refresh_token)).status).toBe(200);
    await after.close();
    rmSync(folder, { recursive: true });
  });
});

describe('failed logins', () => {
  test('are limited per username, over login and Basic together, and a success resets the count', async () => {
    const limited = await testService({ config: protectedConfig('failed_logins_per_minute: 3') });
    const wrong = basic('ann', 'wrong');
    const ask = (headers: Record<string, string>) => limited.fetch('/api/v1/threads', { headers });
    expect((await ask(wrong)).status).toBe(401);
    expect((await login(limited, 'ann', 'wrong')).status).toBe(401);
    expect((await ask(ANN)).status).toBe(200);
    for (let round = 0; round < 3; round++) expect((await ask(wrong)).status).toBe(401);
    // The response no longer tells the right password from a wrong one.
    for (const headers of [wrong, ANN]) {
      const answer = await answerOf(ask(headers));
      expectRefused(answer, 429, 'RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61);
      expect(answer.headers.get('ratelimit-limit')).toBe('3');
    }
    expect((await ask(BOB)).status).toBe(200);
    expect((await ask(ROBOT)).status).toBe(200);
    await limited.close();
  });

  test('are limited per address over all usernames; tokens, keys and known users still pass', async () => {
    const limited = await testService({ config: protectedConfig('failed_logins_per_minute: 1') });
    const ask = (headers: Record<string, string>) => limited.fetch('/api/v1/threads', { headers });
    const { access_token } = await pairOf(limited);
    for (let n = 0; n < 10; n++) expect((await ask(basic(`made-up ${n}`, 'x'))).status).toBe(401);
    for (const response of [ask(basic('made-up', 'x')), login(limited, 'made-up', 'x'), ask(BOB)]) {
      const answer = await answerOf(response);
      const { detail } = expectRefused(answer, 429, 'RATE_LIMITED');
      expect(detail).toBe('too many failed logins from this address');
      expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61);
      expect(answer.headers.get('ratelimit-limit')).toBe('10');
    }
    for (const headers of [ANN, ROBOT, bearer(access_token)]) expect((await ask(headers)).status).toBe(200);
    await limited.close();
  });

  test('many parallel connections with valid credentials count as one attempt', async () => {
    const limited = await testService({ config: protectedConfig('failed_logins_per_minute: 2') });
    const responses = Array.from({ length: 20 }, () => limited.fetch('/api/v1/threads', { headers: ANN }));
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await limited.close();
  });
});

describe('without the global check', () => {
  const open = runningService(provider, protectedConfig('', { global: false }));
  const ask = (headers: Record<string, string> = {}) => open.fetch('/api/v1/threads', { headers });

  test('nothing is protected, but invalid credentials are rejected and valid ones determine the owner', async () => {
    expect((await ask()).status).toBe(200);
    expectRefused(await answerOf(ask(basic('ann', 'wrong'))), 401, 'UNAUTHORIZED');
    expectRefused(await answerOf(ask(bearer('x.y.z'))), 401, 'UNAUTHORIZED');
    const { body } = await open.chat({ user_prompt: 'hi' }, ANN);
    const mine = await open.fetch(`/api/v1/threads/${body.thread_id}`, { headers: ANN });
    expect(mine.status).toBe(200);
    expect((await open.fetch(`/api/v1/threads/${body.thread_id}`)).status).toBe(404);
  });

  test('verify requires credentials', async () => {
    expectRefused(await answerOf(open.fetch('/api/v1/auth/verify')), 401, 'UNAUTHORIZED');
  });
});

test('with authentication off, all callers are anonymous, and login is unavailable', async () => {
  const off = await testService();
  const verified = await off.fetch('/api/v1/auth/verify', { headers: basic('x', 'y') });
  expect(await verified.json()).toEqual({ valid: true, username: 'anonymous', expires_at: null });
  for (const response of [login(off, 'a', 'b'), post(off, '/api/v1/auth/refresh', { refresh_token: 'x' })]) {
    const { message } = expectRefused(await answerOf(response), 400, 'INVALID_REQUEST');
    expect(message).toBe('Authentication is disabled');
  }
  await off.close();
});

/** Moves the time of use of all spent tokens back. */
async function ageSpentTokens({ folder }: { folder: string }, milliseconds: number): Promise<void> {
  await askState(folder, 'UPDATE spent_tokens SET since = since - $1', milliseconds);
}
