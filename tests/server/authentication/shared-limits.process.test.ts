/** Limits are shared by all servers of a database, and still apply while the database is unavailable. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWN_POSTGRES, type PrivatePostgres, privatePostgres } from '../../support/private-postgres.ts';
import { type TestService, testService } from '../../support/service.ts';
import { ANN, basic, OTHER_PASSWORD, protectedConfig } from '../support/credentials.ts';

setDefaultTimeout(60_000);

describe.skipIf(!OWN_POSTGRES)('two servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-limits-'));
  let server: PrivatePostgres;
  let one: TestService;
  let other: TestService;

  beforeAll(async () => {
    server = await privatePostgres();
    await server.start();
    const config = protectedConfig('failed_logins_per_minute: 3').replace(
      'web_configuration:',
      'web_configuration:\n  rate_limit: {requests_per_minute: 3}',
    );
    const env = {
      SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
      SERVICE_CHAT_HISTORY__CONNECTION_STRING: server.url,
      SERVICE_CHAT_HISTORY__POOL_SIZE: '2',
    };
    const start = (name: string) => testService({ folder: join(folder, name), config, env });
    [one, other] = [await start('one'), await start('other')];
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  const statusAt = async (at: TestService, headers: Record<string, string>) =>
    (await at.fetch('/api/v1/threads', { headers })).status;
  async function login(at: TestService, username: string, password: string) {
    const response = await at.fetch('/api/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    return response.status;
  }

  test('the chats of a caller are counted together', async () => {
    const statuses = [];
    for (const at of [one, other, one, other, one])
      statuses.push((await at.chat({ user_prompt: 'hi' }, ANN)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  test('failed logins are counted together, and also block the right password', async () => {
    const statuses = [];
    for (const at of [one, other, one, other]) statuses.push(await login(at, 'bob', 'wrong'));
    expect(statuses).toEqual([401, 401, 401, 429]);
    for (const at of [one, other]) expect(await login(at, 'bob', OTHER_PASSWORD)).toBe(429);
  });

  test('a success at one server resets the count of all servers', async () => {
    const wrong = basic('ann', 'wrong');
    for (const at of [one, other]) expect(await statusAt(at, wrong)).toBe(401);
    for (const at of [one, other]) expect(await statusAt(at, ANN)).toBe(200);
    for (const at of [one, other, one]) expect(await statusAt(at, wrong)).toBe(401);
    expect(await statusAt(other, ANN)).toBe(429);
  });

  test('while the database is unavailable, each server counts for itself', async () => {
    await server.kill();
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push(await login(one, 'nobody', 'wrong'));
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await login(other, 'nobody', 'wrong')).toBe(401);
    await server.start();
  });
});
