/** When the keys of an issuer are fetched, how often, and what happens while they can't be fetched. */
import { afterEach, describe, expect, test } from 'bun:test';
import pino from 'pino';
import { type IssuerTokensParts, issuerTokens } from '../../../server/authentication/oidc/issuer-tokens.ts';
import { AUDIENCE, type Issuer, localIssuer, seconds, signedBy } from '../support/issuer.ts';
import { until } from '../support/until.ts';

const issuers: Issuer[] = [];
afterEach(async () => {
  for (const one of issuers.splice(0)) await one.stop();
});

async function opened(parts: Partial<IssuerTokensParts> = {}) {
  const issuer = localIssuer();
  issuers.push(issuer);
  const key = await issuer.add('ES256');
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const text: string[] = [];
  const write = (line: string) => {
    text.push(line);
    lines.push(JSON.parse(line));
  };
  const clock = { at: 0 };
  const tokens = issuerTokens({
    options: { issuer: issuer.url, audience: AUDIENCE, owner_claim: 'sub' },
    log: pino({ level: 'trace' }, { write }),
    now: () => clock.at,
    ...parts,
  });
  /** Returns the caller's name, or the error code. */
  const read = (token: string) =>
    tokens.read(token).then(
      (found) => found?.name,
      (error) => error.code as string,
    );
  return { issuer, key, tokens, read, lines, text, clock };
}

const MINUTE = 60_000;

test('keys are fetched once for many tokens at the same time, and then cached', async () => {
  const { issuer, key, read } = await opened();
  const token = await signedBy(issuer, key);
  expect(new Set(await Promise.all(Array.from({ length: 50 }, () => read(token))))).toEqual(
    new Set(['alice']),
  );
  for (let n = 0; n < 50; n++) expect(await read(token)).toBe('alice');
  expect(issuer.fetched).toBe(1);
});

test('a token with a new key causes a fetch, also right after the start, and the withdrawn key becomes invalid', async () => {
  const { issuer, key, read } = await opened();
  const old = await signedBy(issuer, key);
  expect(await read(old)).toBe('alice');
  issuer.published = [];
  const fresh = await issuer.add('RS256');
  expect(await read(await signedBy(issuer, fresh))).toBe('alice');
  expect(issuer.fetched).toBe(2);
  expect(await read(old)).toBeUndefined();
});

test('unknown keys cause one fetch in five seconds, however many tokens name them', async () => {
  const { issuer, key, read, clock } = await opened();
  expect(await read(await signedBy(issuer, key))).toBe('alice');
  const unknown = (kid: string) => signedBy(issuer, key, {}, { kid });
  const flood = async () => {
    for (let n = 0; n < 30; n++) {
      const at = Array.from({ length: 5 }, async (_, m) => read(await unknown(`${n} ${m}`)));
      expect(new Set(await Promise.all(at))).toEqual(new Set([undefined]));
    }
  };
  await flood();
  expect(issuer.fetched).toBe(2);
  clock.at = 4_999;
  await flood();
  expect(issuer.fetched).toBe(2);
  clock.at = 5_000;
  await flood();
  expect(issuer.fetched).toBe(3);
});

test('tokens of other issuers or with other algorithms cause no fetch', async () => {
  const { issuer, key, read } = await opened();
  const others = [
    await signedBy(issuer, key, { iss: 'https://other.example.org' }),
    'x.y.z',
    '',
    `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from(JSON.stringify({ iss: issuer.url })).toString('base64url')}.AAAA`,
  ];
  for (const token of others) expect(await read(token)).toBeUndefined();
  expect(issuer.fetched).toBe(0);
});

test('a token without a key id is valid if exactly one key matches', async () => {
  const { issuer, key, read } = await opened();
  await issuer.add('RS256');
  const token = await signedBy(issuer, key, {}, { kid: undefined });
  expect(await read(token)).toBe('alice');
  await issuer.add('ES256');
  expect(await read(token)).toBe('alice');
});

describe('an issuer that is unavailable', () => {
  test('makes unknown tokens ISSUER_UNAVAILABLE, and the service recovers by itself', async () => {
    const { issuer, key, read, tokens, clock, lines } = await opened();
    const token = await signedBy(issuer, key);
    await issuer.stop();
    for (let n = 0; n < 2; n++) expect(await read(token)).toBe('ISSUER_UNAVAILABLE');
    expect(tokens.failing()).toBe(true);
    issuer.start();
    clock.at = 5_000;
    expect(await read(token)).toBe('alice');
    expect(tokens.failing()).toBe(false);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [40, "fetching the issuer's keys failed"],
      [30, "fetching the issuer's keys works again"],
    ]);
  });

  test('is found immediately if it starts with the service, because the first fetch does not delay the next', async () => {
    const { issuer, key, read } = await opened();
    const token = await signedBy(issuer, key);
    await issuer.stop();
    expect(await read(token)).toBe('ISSUER_UNAVAILABLE');
    issuer.start();
    expect(await read(token)).toBe('alice');
  });

  test('is called once in five seconds, with one line in the log; health checks call it too', async () => {
    const { issuer, key, read, tokens, clock, lines } = await opened();
    const token = await signedBy(issuer, key);
    let requests = 0;
    issuer.instead = () => {
      requests++;
      return new Response(null, { status: 500 });
    };
    for (let n = 0; n < 20; n++) expect(await read(token)).toBe('ISSUER_UNAVAILABLE');
    expect(requests).toBe(2);
    issuer.instead = () => undefined;
    clock.at = 5_000;
    expect(tokens.failing()).toBe(true);
    expect(await read(token)).toBe('alice');
    expect(tokens.failing()).toBe(false);
    expect(lines.length).toBe(2);
    expect(lines[0]?.reason).toBe('openid-configuration: unexpected status 500');
  });

  test('is not needed for an hour: known keys stay valid, and unknown ones are ISSUER_UNAVAILABLE', async () => {
    const { issuer, key, read, clock } = await opened();
    const token = await signedBy(issuer, key);
    expect(await read(token)).toBe('alice');
    await issuer.stop();
    for (const at of [11 * MINUTE, 30 * MINUTE, 60 * MINUTE]) {
      clock.at = at;
      expect(await read(token)).toBe('alice');
    }
    expect(await read(await signedBy(issuer, key, {}, { kid: 'new' }))).toBe('ISSUER_UNAVAILABLE');
    clock.at = 60 * MINUTE + 1;
    expect(await read(token)).toBe('ISSUER_UNAVAILABLE');
    issuer.start();
    clock.at += 5_000;
    expect(await read(token)).toBe('alice');
  });

  test('does not delay tokens of known keys during the fetch', async () => {
    const { issuer, key, read, clock } = await opened();
    const token = await signedBy(issuer, key);
    expect(await read(token)).toBe('alice');
    issuer.instead = () => new Promise<Response>(() => {});
    clock.at = 11 * MINUTE;
    const began = performance.now();
    expect(await read(token)).toBe('alice');
    // The fetch would take five seconds.
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});

test('a withdrawn key is rejected after ten minutes and a fetch', async () => {
  const { issuer, key, read, clock } = await opened();
  const token = await signedBy(issuer, key);
  expect(await read(token)).toBe('alice');
  issuer.published = [];
  clock.at = 10 * MINUTE + 1;
  // The fetch runs in the background, so the first tokens are still valid.
  await until(async () => (await read(token)) === undefined, 10_000);
  expect(issuer.fetched).toBeGreaterThan(1);
});

describe('an issuer that misbehaves', () => {
  const huge = () => {
    const piece = new Uint8Array(64 * 1024).fill(32);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ > 10_000) controller.close();
        else controller.enqueue(piece);
      },
    });
    return new Response(body);
  };
  const CASES: [
    string,
    (path: string, issuer: Issuer) => Response | Promise<Response> | undefined,
    string,
  ][] = [
    [
      'redirects',
      (path, { url }) => (path === '/keys' ? Response.redirect(`${url}/other`) : undefined),
      'jwks_uri: unexpected status 302',
    ],
    [
      'redirects its configuration',
      () => Response.redirect('http://127.0.0.1:1/'),
      'openid-configuration: unexpected status 302',
    ],
    [
      'has huge keys',
      (path) => (path === '/keys' ? huge() : undefined),
      'jwks_uri: expected at most 262144 bytes',
    ],
    ['never answers', () => new Promise<Response>(() => {}), 'openid-configuration: no response'],
    [
      'answers with a page',
      () => new Response('<html>secret-canary'),
      'openid-configuration: expected a JSON object',
    ],
    ['answers with a list', () => Response.json([]), 'openid-configuration: expected a JSON object'],
    [
      'is another',
      (path) =>
        path === '/keys'
          ? undefined
          : Response.json({ issuer: 'https://other.example.org', jwks_uri: 'https://x' }),
      'openid-configuration: its issuer differs from web_configuration.authentication.oidc.issuer',
    ],
    [
      'names no keys',
      (path, { url }) => (path === '/keys' ? undefined : Response.json({ issuer: url })),
      'openid-configuration: jwks_uri must be a URL',
    ],
    [
      'names a file',
      (path, { url }) =>
        path === '/keys' ? undefined : Response.json({ issuer: url, jwks_uri: 'file:///etc/passwd' }),
      'openid-configuration: jwks_uri must be an https URL',
    ],
    [
      'has keys that are none',
      (path) => (path === '/keys' ? Response.json({ keys: [1] }) : undefined),
      'jwks_uri: expected a JSON Web Key Set',
    ],
  ];
  test.each(CASES)(
    '%s: its tokens are unavailable, and the log has the reason',
    async (name, instead, reason) => {
      const times = {
        betweenMs: 5_000,
        fetchMs: name === 'never answers' ? 300 : 20_000,
        freshMs: MINUTE,
        maxAgeMs: MINUTE,
      };
      const { issuer, key, read, lines, text } = await opened({ times });
      issuer.instead = (path) => instead(path, issuer);
      const token = await signedBy(issuer, key, { exp: seconds() + 60 });
      expect(await read(token)).toBe('ISSUER_UNAVAILABLE');
      expect(lines[0]?.reason).toBe(reason);
      expect(text.join('')).not.toContain('canary');
      expect(text.join('')).not.toContain(token);
    },
  );

  test('unusable keys make only their own tokens invalid', async () => {
    const { issuer, key, read } = await opened();
    issuer.published.push(
      { kty: 'oct', k: 'AAAA', kid: 'oct', alg: 'HS256' },
      { kty: 'RSA', kid: 'torn', alg: 'RS256' },
    );
    expect(await read(await signedBy(issuer, key))).toBe('alice');
    const torn = await issuer.add('RS256', { published: false });
    expect(await read(await signedBy(issuer, torn, {}, { kid: 'torn' }))).toBeUndefined();
  });
});
