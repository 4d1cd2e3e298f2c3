/** The claims and the lifetime of tokens. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { openTokens, type TokenType } from '../../../server/authentication/tokens.ts';

const OPTIONS = { secret: 'a-signing-secret-of-more-than-32-bytes', accessMinutes: 60, refreshDays: 7 };
const START = 1_700_000_000_000;

afterEach(() => {
  setSystemTime();
});

const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

test.each<[TokenType, number]>([
  ['access', 3_600],
  ['refresh', 604_800],
])('a token for %s has its type, user and family, and is valid for %p seconds', async (type, seconds) => {
  setSystemTime(START);
  const tokens = openTokens(OPTIONS);
  const token = await tokens.issue(type, 'ann', 'login-1');
  const [iat, exp] = [START / 1000, START / 1000 + seconds];
  expect(partsOf(token)).toEqual([
    { alg: 'HS256', typ: `${type}+jwt` },
    { iss: 'skein', aud: type, sub: 'ann', jti: expect.any(String), typ: type, fam: 'login-1', iat, exp },
  ]);
  const [, { jti: id }] = partsOf(token);
  const read = { id, username: 'ann', family: 'login-1', expiresAt: exp * 1000 };
  setSystemTime(exp * 1000 - 1);
  expect(await tokens.read(type, token)).toEqual(read);
  setSystemTime(exp * 1000);
  expect(await tokens.read(type, token)).toBeUndefined();
});

test('a token is valid after a restart with the same secret, and invalid with another', async () => {
  const token = await openTokens(OPTIONS).issue('access', 'ann', 'login-1');
  expect(await openTokens(OPTIONS).read('access', token)).toMatchObject({ username: 'ann' });
  const changed = openTokens({ ...OPTIONS, secret: `${OPTIONS.secret}!` });
  expect(await changed.read('access', token)).toBeUndefined();
});

test('neither type of token is accepted for the other, and all tokens are unique', async () => {
  const tokens = openTokens(OPTIONS);
  const [access, refresh] = [
    await tokens.issue('access', 'ann', 'a'),
    await tokens.issue('refresh', 'ann', 'a'),
  ];
  expect(await tokens.read('refresh', access)).toBeUndefined();
  expect(await tokens.read('access', refresh)).toBeUndefined();
  expect(await tokens.issue('access', 'ann', 'a')).not.toBe(access);
});
