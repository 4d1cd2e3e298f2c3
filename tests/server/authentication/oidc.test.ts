/** Access tokens of an OpenID Connect issuer over HTTP: which are valid, and who their caller is. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { exportSPKI, UnsecuredJWT } from 'jose';
import { testService } from '../../support/service.ts';
import { bearer, login, pairOf, protectedConfig, ROBOT, SECRET } from '../support/credentials.ts';
import { AUDIENCE, localIssuer, type SigningKey, seconds, signedBy } from '../support/issuer.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

setDefaultTimeout(30_000);

const provider = runningProvider();
const issuer = localIssuer();
const oidc = (more = '') => `oidc: {issuer: "${issuer.url}", audience: "${AUDIENCE}"${more}}`;
const keys = {} as Record<'RS256' | 'ES256' | 'EdDSA', SigningKey>;
let key: SigningKey;

// Must come before the services start.
beforeAll(async () => {
  for (const alg of ['RS256', 'ES256', 'EdDSA'] as const) keys[alg] = await issuer.add(alg);
  key = keys.RS256;
});
const service = runningService(provider, protectedConfig(oidc()));
const byEmail = runningService(provider, protectedConfig(oidc(', owner_claim: email')));
afterAll(() => issuer.stop());

const verify = (token: string, at = service) => at.fetch('/api/v1/auth/verify', { headers: bearer(token) });
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function expectInvalid(token: string, at = service): Promise<void> {
  const answer = await answerOf(verify(token, at));
  expectRefused(answer, 401, 'UNAUTHORIZED');
  expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
}

describe('a valid token', () => {
  test.each(['RS256', 'ES256', 'EdDSA'] as const)('is accepted with %s', async (alg) => {
    const exp = seconds() + 300;
    const answer = await answerOf(verify(await signedBy(issuer, keys[alg], { exp })));
    expect(answer.body).toEqual({
      ...{ valid: true, username: 'alice' },
      expires_at: new Date(exp * 1000).toISOString(),
    });
  });

  test.each([
    ['one of several audiences', { aud: ['https://other.example.org', AUDIENCE] }, {}],
    ['the type that most issuers use', {}, { typ: 'JWT' }],
    ['no type', {}, { typ: undefined }],
    ['the type in its long form', {}, { typ: 'application/at+jwt' }],
    ['a start slightly in the future, for clocks that differ', { nbf: seconds() + 3 }, {}],
    ['headers with URLs of other keys, which are ignored', {}, { jku: 'http://127.0.0.1:1/', x5u: 'x' }],
  ])('may have %s', async (_, claims, header) => {
    expect((await verify(await signedBy(issuer, key, claims, header))).status).toBe(200);
  });

  test('owns its data by its claim, over both protocols, and tokens of logins stay valid', async () => {
    const alice = bearer(await signedBy(issuer, key));
    const other = bearer(await signedBy(issuer, key, { sub: 'bob' }));
    const { access_token } = await pairOf(service, 'bob', 'other-password-canary');
    const { body } = await service.chat({ user_prompt: 'hi', thread_id: 'alices' }, alice);
    expect(body.thread_id).toBe('alices');
    for (const path of ['/api/v1/threads/alices', '/threads/alices']) {
      expect((await service.fetch(path, { headers: alice })).status).toBe(200);
      expect((await service.fetch(path, { headers: other })).status).toBe(404);
      expect((await service.fetch(path, { headers: bearer(access_token) })).status).toBe(404);
    }
    expect((await verify(access_token)).status).toBe(200);
  });

  test('is named by another claim if the settings say so', async () => {
    const token = await signedBy(issuer, key, { email: 'alice@example.org' });
    expect((await answerOf(verify(token, byEmail))).body.username).toBe('alice@example.org');
  });
});

describe('a token is rejected', () => {
  test.each([
    ['another issuer', { iss: 'https://other.example.org' }],
    ['the issuer with a trailing slash', { iss: `${issuer.url}/` }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'https://other.example.org' }],
    ['a part of the audience', { aud: AUDIENCE.slice(0, -1) }],
    ['no audience', { aud: undefined }],
    ['an expiry in the past', { exp: seconds() - 1 }],
    ['an expiry that is not a number', { exp: `${seconds() + 600}` }],
    ['no expiry', { exp: undefined }],
    ['a start in the future', { nbf: seconds() + 60 }],
    ['no owner', { sub: undefined }],
    ['an owner that is a number', { sub: 7 }],
    ['an owner that is null', { sub: null }],
    ['a list of owners', { sub: ['alice'] }],
    ['an empty owner', { sub: '' }],
    ['a blank owner', { sub: '  ' }],
    ['an owner with a line break', { sub: 'alice\nbob' }],
    ['an owner with a NUL', { sub: 'alice\0' }],
    ['an owner with a lone surrogate', { sub: 'a\ud800' }],
    ['an owner that is too long', { sub: 'a'.repeat(256) }],
    ['the hash of an access token, as ID tokens have', { at_hash: 'x' }],
    ['a nonce, as ID tokens have', { nonce: 'x' }],
    ["Keycloak's mark of ID tokens", { typ: 'ID' }],
    ["Cognito's mark of ID tokens", { token_use: 'id' }],
    ['events, as logout tokens have', { events: {} }],
    ['a key that requires proof of possession', { cnf: { jkt: 'x' } }],
  ])('with %s', async (_, claims) => {
    await expectInvalid(await signedBy(issuer, key, claims));
  });

  test('if it is the ID token of another client', async () => {
    await expectInvalid(await signedBy(issuer, key, { aud: 'other-client' }, { typ: 'JWT' }));
  });

  test.each(['access+jwt', 'logout+jwt', 'dpop+jwt', 'secevent+jwt', ''])('with type %p', async (typ) => {
    await expectInvalid(await signedBy(issuer, key, {}, { typ }));
  });

  test.each(['none', 'None', 'NONE'])('with algorithm %p', async (alg) => {
    const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'alice', exp: seconds() + 600 };
    await expectInvalid(new UnsecuredJWT(claims).encode());
    for (const signature of ['', 'AAAA'])
      await expectInvalid(`${encoded({ alg, kid: key.kid })}.${encoded(claims)}.${signature}`);
  });

  test('if it is signed with the public key as a secret', async () => {
    const claims = encoded({ iss: issuer.url, aud: AUDIENCE, sub: 'alice', exp: seconds() + 600 });
    const header = encoded({ alg: 'HS256', kid: key.kid, typ: 'at+jwt' });
    const spki = await exportSPKI(key.publicKey);
    for (const secret of [
      spki,
      spki.trim(),
      key.jwk.n ?? '',
      Buffer.from(key.jwk.n ?? '', 'base64url'),
      '',
    ]) {
      const signature = createHmac('sha256', secret || '\0').update(`${header}.${claims}`);
      await expectInvalid(`${header}.${claims}.${signature.digest('base64url')}`);
    }
  });

  test("if it has the issuer's claims but is signed with the service's own secret", async () => {
    const claims = encoded({ iss: issuer.url, aud: AUDIENCE, sub: 'alice', exp: seconds() + 600 });
    const header = encoded({ alg: 'HS256', typ: 'access+jwt' });
    const signature = createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('base64url');
    await expectInvalid(`${header}.${claims}.${signature}`);
  });

  test("with a key, or a key's URL, in its header", async () => {
    const forger = localIssuer();
    const own = await forger.add('RS256');
    const asIssuer = { url: issuer.url };
    for (const header of [
      { jwk: own.jwk },
      { jku: `${forger.url}/keys` },
      { jku: `${forger.url}/keys`, kid: key.kid },
      { x5c: ['AAAA'] },
      { kid: key.kid },
      { kid: '../../../../dev/null' },
    ])
      await expectInvalid(await signedBy(asIssuer, own, {}, header));
    expect(forger.fetched).toBe(0);
    await forger.stop();
  });

  test('with an unknown critical header', async () => {
    const [, payload, signature] = (await signedBy(issuer, key)).split('.');
    for (const crit of [['b64'], ['exp'], [], 'x']) {
      const header = encoded({ alg: 'RS256', kid: key.kid, typ: 'at+jwt', b64: false, crit });
      await expectInvalid(`${header}.${payload}.${signature}`);
    }
  });

  test('if any part of it is changed', async () => {
    const [header, payload, signature = ''] = (await signedBy(issuer, key)).split('.');
    const claims = encoded({ iss: issuer.url, aud: AUDIENCE, sub: 'root', exp: seconds() + 600 });
    await expectInvalid(`${header}.${claims}.${signature}`);
    await expectInvalid(`${header}.${payload}.${signature.slice(0, -4)}AAAA`);
    await expectInvalid(`${header}.${payload}.`);
    await expectInvalid(`${header}.${payload}`);
  });
});

describe('an issuer that is unavailable when the service starts', () => {
  const away = localIssuer();
  let own: SigningKey;
  beforeAll(async () => {
    own = await away.add('ES256');
    await away.stop();
  });
  const config = `oidc: {issuer: "${away.url}", audience: "${AUDIENCE}"}`;
  const started = runningService(provider, protectedConfig(config));
  afterAll(() => away.stop());
  const health = async () => (await answerOf(started.fetch('/api/v1/health'))).body;

  test('degrades the health, its tokens get 503 over both protocols, and the service recovers by itself', async () => {
    for (let tries = 0; (await health()).status === 'healthy' && tries < 100; tries++) await Bun.sleep(20);
    expect((await health()).components.authentication).toEqual({ status: 'degraded' });
    const token = await signedBy(away, own);
    const answer = await answerOf(verify(token, started));
    expectRefused(answer, 503, 'ISSUER_UNAVAILABLE');
    expect(answer.headers.get('retry-after')).toBe('5');
    const text = await started.fetch('/threads/x', { headers: bearer(token) });
    expect([text.status, await text.text()]).toEqual([
      ...[503, 'The issuer of the access token cannot be reached. Try again later'],
    ]);
    // All other callers are still served.
    expect((await started.fetch('/api/v1/threads', { headers: ROBOT })).status).toBe(200);
    away.start();
    for (let tries = 0; (await health()).status !== 'healthy' && tries < 100; tries++) await Bun.sleep(100);
    expect((await verify(token, started)).status).toBe(200);
  });
});

test('without logins, the service needs no password and no secret', async () => {
  const config = `web_configuration: {authentication: {enable: true, enable_global_middleware: true, ${oidc()}}}`;
  const alone = await testService({ config });
  const threads = (headers?: Record<string, string>) => alone.fetch('/api/v1/threads', { headers });
  expect((await threads(bearer(await signedBy(issuer, key)))).status).toBe(200);
  expect((await threads()).status).toBe(401);
  expect((await login(alone, 'ann', 'x')).status).toBe(401);
  await alone.close();
});
