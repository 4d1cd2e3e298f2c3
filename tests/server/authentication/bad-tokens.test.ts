/** Almost valid tokens and Basic credentials are all rejected. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { hkdfSync } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { openTokens } from '../../../server/authentication/tokens.ts';
import {
  ANN,
  basic,
  bearer,
  KEY,
  PASSWORD,
  pairOf,
  protectedConfig,
  SECRET,
} from '../support/credentials.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

// Hashing passwords and starting processes are slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const service = runningService(provider, protectedConfig('failed_logins_per_minute: 10000'));

const ask = (headers: Record<string, string>) => service.fetch('/api/v1/auth/verify', { headers });

async function expectInvalid(token: string): Promise<void> {
  const answer = await answerOf(ask(bearer(token)));
  expectRefused(answer, 401, 'UNAUTHORIZED');
  expect(answer.headers.get('www-authenticate')).toContain('Bearer realm="skein", error="invalid_token"');
}

const now = () => Math.floor(Date.now() / 1000);
const keyOf = (type: string, secret = SECRET) =>
  new Uint8Array(hkdfSync('sha256', secret, 'skein', `${type} token`, 32));

const HEADER = { alg: 'HS256', typ: 'access+jwt' };
const claims = (): Record<string, unknown> => ({
  ...{ iss: 'skein', aud: 'access', sub: 'ann', iat: now(), exp: now() + 600 },
  ...{ jti: 'x', typ: 'access', fam: 'x' },
});

interface Made {
  header?: Record<string, unknown>;
  key?: Uint8Array;
}

const signed = (payload: Record<string, unknown>, { header = HEADER, key = keyOf('access') }: Made = {}) =>
  new SignJWT(payload).setProtectedHeader(header as typeof HEADER).sign(key);

test('the unchanged token of these tests is valid', async () => {
  expect((await ask(bearer(await signed(claims())))).status).toBe(200);
});

test('a token that is changed at any position is rejected', async () => {
  const { access_token } = await pairOf(service);
  const tokens = openTokens({ secret: SECRET, accessMinutes: 60, refreshDays: 1 });
  expect(await tokens.read('access', access_token)).toBeDefined();
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let at = 0; at < access_token.length; at++) {
    const value = alphabet.indexOf(access_token[at] ?? '');
    // Flips each of the six bits; a dot becomes another character.
    const others = value < 0 ? ['A', ''] : [1, 2, 4, 8, 16, 32].map((bit) => alphabet[value ^ bit] ?? '');
    for (const other of others) {
      const changed = access_token.slice(0, at) + other + access_token.slice(at + 1);
      expect([at, other, await tokens.read('access', changed)]).toEqual([at, other, undefined]);
    }
  }
  for (const changed of [access_token.slice(0, -1), access_token.slice(1), `${access_token}=`])
    await expectInvalid(changed);
});

describe('other algorithms and keys', () => {
  test.each(['none', 'None', 'nOnE', 'HS384', 'HS512', 'RS256', 'ES256', 'EdDSA', '', 'hs256'])(
    'alg %p in the header is rejected with any signature',
    async (alg) => {
      const [, payload, signature] = (await signed(claims())).split('.');
      const header = Buffer.from(JSON.stringify({ ...HEADER, alg })).toString('base64url');
      await expectInvalid(`${header}.${payload}.${signature}`);
      expectRefused(await answerOf(ask(bearer(`${header}.${payload}.`))), 401, 'UNAUTHORIZED');
    },
  );

  test.each(['HS384', 'HS512'])('%s with the right key is rejected', async (alg) => {
    const wide = new Uint8Array(64);
    wide.set(keyOf('access'));
    await expectInvalid(await signed(claims(), { header: { ...HEADER, alg }, key: wide }));
  });

  test('an unsecured token is rejected', async () => {
    expectRefused(await answerOf(ask(bearer(new UnsecuredJWT(claims()).encode()))), 401, 'UNAUTHORIZED');
  });

  test.each([
    ['the secret itself', new TextEncoder().encode(SECRET)],
    ['another secret', keyOf('access', 'another-secret-of-more-than-32-bytes')],
    ['the key of refresh tokens', keyOf('refresh')],
    ['an empty secret', keyOf('access', '')],
  ])('signed with %s it is rejected', async (_, key) => {
    await expectInvalid(await signed(claims(), { key }));
  });

  test.each([
    { typ: 'JWT' },
    { typ: 'refresh+jwt' },
    { typ: undefined },
    { crit: ['b64'], b64: false },
    { crit: ['x'], x: 1 },
  ])('with the header %p it is rejected', async (change) => {
    const header = Buffer.from(JSON.stringify({ ...HEADER, ...change })).toString('base64url');
    const payload = Buffer.from(JSON.stringify(claims())).toString('base64url');
    const hmac = new Bun.CryptoHasher('sha256', keyOf('access')).update(`${header}.${payload}`);
    await expectInvalid(`${header}.${payload}.${hmac.digest('base64url')}`);
  });
});

describe('claims', () => {
  const names = ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'typ', 'fam'];
  test.each(names)('without %s it is rejected', async (name) => {
    const { [name]: _, ...rest } = claims();
    await expectInvalid(await signed(rest));
  });

  const texts = ['iss', 'aud', 'sub', 'jti', 'typ', 'fam'];
  test.each(texts)('an absurd %s is rejected', async (name) => {
    for (const value of ['', null, 0, {}, [], true])
      await expectInvalid(await signed({ ...claims(), [name]: value }));
  });

  test.each(['iat', 'exp', 'nbf'])('an invalid time in %s is rejected', async (name) => {
    const future = now() + 4_000_000_000;
    const past = name === 'exp' ? [0, -1, now() - 1] : [];
    const wrong = name === 'exp' ? [now() + 600.5, 1e300] : [future];
    for (const value of ['x', null, {}, [], true, `${now()}`, ...past, ...wrong])
      await expectInvalid(await signed({ ...claims(), [name]: value }));
  });

  test('a token that is older than the maximum lifetime is rejected, even if it expires later', async () => {
    await expectInvalid(await signed({ ...claims(), iat: now() - 86_500 }));
  });

  test.each([
    { iss: 'other' },
    { aud: 'refresh' },
    { typ: 'refresh' },
    { sub: 'nobody' },
    { sub: 'robot' },
    { sub: '__proto__' },
  ])('with %p it is rejected', async (change) => {
    await expectInvalid(await signed({ ...claims(), ...change }));
  });
});

describe('the header', () => {
  test('a huge or malformed token is rejected', async () => {
    const texts = ['.', '..', 'a.b.c', 'e30.e30.e30', `${'x'.repeat(5_000)}.y.z`, `a.${'b'.repeat(7_000)}.c`];
    for (const text of texts) await expectInvalid(text);
    expectRefused(await answerOf(ask(bearer('x'.repeat(9_000)))), 401, 'UNAUTHORIZED');
    expectRefused(
      await answerOf(ask(bearer(await signed({ ...claims(), x: 'y'.repeat(5_000) })))),
      401,
      'UNAUTHORIZED',
    );
  });

  test.each([
    'Bearer',
    'Bearer ',
    'bearer',
    'Token x',
    'x',
    '',
    ' ',
    'Bearer a b',
    'Bearer\ta',
    'Basic Bearer x',
    'Bearer clé',
  ])('Authorization: %p is rejected', async (authorization) => {
    expectRefused(await answerOf(ask({ authorization })), 401, 'UNAUTHORIZED');
  });

  test('two headers are rejected, even if each is valid', async () => {
    const token = (await pairOf(service)).access_token;
    const lines = [
      [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
      [`Authorization: ${ANN.authorization}`, `Authorization: ${ANN.authorization}`],
      [`Authorization: ${ANN.authorization}`, `Authorization: Bearer ${token}`],
      [`Authorization: ${ANN.authorization}`, `X-API-Key: ${KEY}`],
      [`X-API-Key: ${KEY}`, `X-API-Key: ${KEY}`],
    ];
    for (const pair of lines) {
      const socket = await rawSocket(service);
      await socket.send(`GET /api/v1/threads HTTP/1.1\r\nHost: localhost\r\n${pair.join('\r\n')}\r\n\r\n`);
      expectRefused(await socket.answer(), 401, 'UNAUTHORIZED');
      socket.close();
    }
  });
});

describe('Basic', () => {
  const encoded = ANN.authorization.slice('Basic '.length);
  const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

  test.each([
    ['nothing', ''],
    ['invalid base64', '%%%%'],
    ['base64 with spaces', `${encoded.slice(0, 4)} ${encoded.slice(4)}`],
    ['base64 without padding', base64('ann:pass').replace(/=+$/, '')],
    ['base64 with too much padding', `${encoded}====`],
    ['base64url', base64('ann:~~~???>>>').replaceAll('+', '-').replaceAll('/', '_')],
    ['junk after it', `${encoded},x`],
    ['no colon', base64('ann')],
    ['no username', base64(`:${PASSWORD}`)],
    ['only a colon', base64(':')],
    ['no password', base64('ann:')],
    ['Latin-1', base64(Buffer.from(`ann:${PASSWORD}`, 'latin1'))],
    ['bytes that are not UTF-8', base64(new Uint8Array([0x61, 0x3a, 0xff, 0xfe]))],
    ['an overlong form', base64(new Uint8Array([0x61, 0x6e, 0x6e, 0xc0, 0xba, 0x62]))],
    ['a NUL', base64(`ann\0:${PASSWORD}`)],
    ['a NUL at the end', base64(`ann:${PASSWORD}\0`)],
    ['a line break', base64(`ann:${PASSWORD}\n`)],
    ['a byte order mark', base64(`\ufeffann:${PASSWORD}`)],
    ['a space before the username', base64(` ann:${PASSWORD}`)],
    ['a space after the password', base64(`ann:${PASSWORD} `)],
    ['the password cut at its colon', base64(`ann:${PASSWORD.split(':')[0]}`)],
    ['a huge password', base64(`ann:${'x'.repeat(7_000)}`)],
    ['the plain text', `ann:pass`],
  ])('%s is rejected', async (_, text) => {
    expectRefused(await answerOf(ask({ authorization: `Basic ${text}` })), 401, 'UNAUTHORIZED');
  });

  test('a password with colons and non-ASCII letters is accepted', async () => {
    expect(PASSWORD).toMatch(/:.*[^\p{ASCII}].*:/u);
    expect((await ask(basic('ann', PASSWORD))).status).toBe(200);
  });
});

test('responses to invalid credentials contain no secret', async () => {
  for (const headers of [
    bearer(`${KEY}x`),
    basic('ann', 'wrong-canary'),
    { 'x-api-key': 'canary' },
  ] as Record<string, string>[])
    expect(await (await ask(headers)).text()).not.toContain('canary');
});
