/** Authentication and ownership in every protocol. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { GRAPHS } from '../openai/graphs.ts';
import { ANN, BOB, basic, bearer, KEY, pairOf, protectedConfig, ROBOT } from '../support/credentials.ts';
import { AUDIENCE, localIssuer, signedBy } from '../support/issuer.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { isStream, type ProtocolRequest } from './protocol.ts';
import { ask, expectRefused, PROTOCOLS, send } from './protocols.ts';

// Hashing passwords is slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const issuer = localIssuer();
const tokens = { access: '', refresh: '', issued: '', forged: '' };

beforeAll(async () => {
  const [key, unknown] = [await issuer.add('RS256'), await issuer.add('RS256', { published: false })];
  tokens.issued = await signedBy(issuer, key);
  tokens.forged = await signedBy(issuer, unknown);
});
const oidc = `oidc: {issuer: "${issuer.url}", audience: "${AUDIENCE}"}, operators: ["key:robot"]`;
const service = runningService(provider, protectedConfig(`${oidc}, failed_logins_per_minute: 1000`), GRAPHS);
beforeAll(async () => {
  const { access_token, refresh_token } = await pairOf(service);
  Object.assign(tokens, { access: access_token, refresh: refresh_token });
});
afterAll(() => issuer.stop());

type Headers = Record<string, string>;

const GOOD: Record<string, () => Headers> = {
  'a name and a password': () => ANN,
  'an access token': () => bearer(tokens.access),
  'an API key': () => ROBOT,
  'an API key as a token': () => bearer(KEY),
  "a token of the company's issuer": () => bearer(tokens.issued),
};

const BAD: Record<string, () => Headers> = {
  nothing: () => ({}),
  'a wrong password': () => basic('ann', 'wrong'),
  'an unknown name': () => basic('nobody', 'wrong'),
  'a wrong API key': () => ({ 'x-api-key': 'wrong' }),
  'a wrong token': () => bearer('wrong'),
  'a refresh token': () => bearer(tokens.refresh),
  'a token that another key signed': () => bearer(tokens.forged),
  'a scheme that nobody knows': () => ({ authorization: 'Digest username="ann"' }),
};

/** A response without the parts that differ between requests. */
async function seenOf(request: ProtocolRequest, id: string): Promise<unknown> {
  const response = await send(service, request, { headers: BOB });
  const text = await response.text();
  const plain = text
    .replaceAll(id, 'ID')
    .replaceAll(response.headers.get('x-request-id') ?? ' ', 'REQUEST')
    .replace(/"timestamp":"[^"]*"/g, '');
  return { status: response.status, plain: isStream(response) ? 'a stream' : plain };
}

describe.each(PROTOCOLS)('$name', (protocol) => {
  test.each(Object.entries(GOOD))('%s is accepted', async (_, headers) => {
    const { status, text } = await ask(service, protocol, {}, { headers: headers() });
    expect({ status, text }).toEqual({ status: 200, text: 're: hi' });
  });

  test.each(Object.entries(BAD))('%s is rejected', async (_, headers) => {
    const refused = await ask(service, protocol, {}, { headers: headers() });
    expectRefused(protocol, refused, { status: 401, code: 'UNAUTHORIZED', says: /credentials/ });
    expect(refused.headers.get('www-authenticate')).toMatch(/Basic realm=.*Bearer/);
    expect(provider.requests).toHaveLength(0);
  });

  test('two callers can use the same thread id without sharing a thread', async () => {
    const thread = crypto.randomUUID();
    await ask(service, protocol, { thread, text: 'a secret' }, { headers: ANN });
    const { text } = await ask(service, protocol, { thread, text: 'and?' }, { headers: BOB });
    expect(text).toBe('re: and?');
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).not.toContain('secret');
  });

  test("what another caller's turn has created is not found", async () => {
    const thread = `ann-${crypto.randomUUID()}`;
    const { id = '' } = await ask(service, protocol, { thread, text: 'a secret' }, { headers: ANN });
    const unknown = `none-${crypto.randomUUID()}`;
    const none = id.replace(/[0-9a-f-]{36}/, Bun.randomUUIDv7());
    const existing = protocol.reads({ id, thread });
    const unknownReads = protocol.reads({ id: none, thread: unknown });
    for (const [index, request] of existing.entries()) {
      const { path, body } = request;
      const seen = await seenOf(request, id === '' ? thread : id);
      const expected = await seenOf(unknownReads[index] ?? request, none === '' ? unknown : none);
      const named = (one: unknown) =>
        JSON.stringify(one).replaceAll(thread, 'THREAD').replaceAll(unknown, 'THREAD');
      expect({ path, body, seen: named(seen) }).toEqual({ path, body, seen: named(expected) });
      expect(named(seen)).not.toContain('secret');
      if (request.method !== 'GET') continue;
      expect((await send(service, request, { headers: ANN })).ok).toBeTrue();
    }
  });

  test('an operator cannot write for another caller', async () => {
    const request = protocol.ask({ text: 'hi', workflow: 'echo' });
    const path = `${request.path}?owner=user:bob`;
    const response = await send(service, { ...request, path }, { headers: ROBOT });
    const refused = { ...(await protocol.read(response)), headers: response.headers };
    expectRefused(protocol, refused, { status: 400, code: 'INVALID_REQUEST', says: /only reads/ });
    expect(provider.requests).toHaveLength(0);
  });

  test("an operator reads the data of others only over the service's own API", async () => {
    const thread = `ann-${crypto.randomUUID()}`;
    const { id = '' } = await ask(service, protocol, { thread, text: 'a secret' }, { headers: ANN });
    for (const request of protocol.reads({ id, thread }).filter(({ method }) => method === 'GET')) {
      const path = `${request.path}${request.path.includes('?') ? '&' : '?'}owner=user:ann`;
      const response = await send(service, { ...request, path }, { headers: ROBOT });
      const text = await response.text();
      if (path.startsWith('/api/v1/'))
        expect({ path, isShown: response.ok }).toEqual({ path, isShown: true });
      else expect(text).not.toContain('secret');
    }
  });
});
