/** Access to agents, their rate limits, and the addresses in their cards. */
import { expect, test } from 'bun:test';
import { ANN, BOB, bearer, KEY, post, protectedConfig } from '../support/credentials.ts';
import { answerOf, expectA2ARefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const limited = 'rate_limit: {requests_per_minute: 4}, trusted_proxies: [127.0.0.1], base_path: /skein';
const config = `${protectedConfig()}  ${limited.replaceAll(', ', '\n  ')}\na2a: {default: echo}\n`;
const service = runningService(provider, config, GRAPHS);

const CARD = '/.well-known/agent-card.json';
const message = { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'hi' }] };

async function call(method: string, params: object, headers: Record<string, string> = bearer(KEY)) {
  return post(service, '/a2a/echo', { jsonrpc: '2.0', id: 1, method, params }, headers);
}

test('cards are public, and list the credentials that the agents accept', async () => {
  const card = (await answerOf(service.fetch(CARD))).body;
  expect(card).toMatchObject({
    ...{ name: 'echo', protocolVersion: '0.3', url: `${service.url}/a2a/echo` },
    securitySchemes: {
      // Version 0.3 reads the type, 1.0 the field of the scheme's name.
      bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } },
      api_key: { type: 'apiKey', in: 'header', apiKeySecurityScheme: { name: 'X-API-Key' } },
    },
  });
  expect(card.supportedInterfaces).toEqual(
    ['1.0', '0.3'].map((protocolVersion) => ({ url: card.url, protocolBinding: 'JSONRPC', protocolVersion })),
  );
  expect(await (await service.fetch(`/a2a/ECHO${CARD}`)).json()).toEqual(card);
});

test('a card has the address that a trusted proxy forwards', async () => {
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agents.example.org' };
  const urlOf = async (init: RequestInit) => (await answerOf(service.fetch(CARD, init))).body.url;
  expect(await urlOf({ headers })).toBe('https://agents.example.org/skein/a2a/echo');
  const wrong = { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a b' };
  expect(await urlOf({ headers: wrong })).toBe(`${service.url}/a2a/echo`);
});

test('without valid credentials, requests are rejected, and unknown agents are not found', async () => {
  const response = call('message/send', { message: message }, bearer('wrong'));
  expect((await response).headers.get('www-authenticate')).toContain('Bearer');
  await expectA2ARefused(call('tasks/get', { id: 'x' }, {}), 401, 'UNAUTHORIZED');
  const unauthenticated = { jsonrpc: '2.0', id: 1, method: 'tasks/get' };
  await expectA2ARefused(post(service, '/a2a/nobody', unauthenticated, ANN), 404, 'WORKFLOW_NOT_FOUND');
  expect((await service.fetch(`/a2a/nobody${CARD}`)).status).toBe(404);
});

test('a task is visible only to its caller', async () => {
  const { result } = (await answerOf(call('message/send', { message: message }, ANN))).body;
  expect(result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
    const { error } = (await answerOf(call(method, { id: result.id }, BOB))).body;
    expect(error).toMatchObject({ code: -32001, data: { error_code: 'RUN_NOT_FOUND' } });
  }
  const foreign = call('message/send', { message: { ...message, taskId: result.id } }, BOB);
  const { error } = (await answerOf(foreign)).body;
  expect(error.code).toBe(-32001);
});

test('messages count as chats, and reading tasks does not', async () => {
  const statuses = [];
  for (let n = 0; n < 6; n++) statuses.push((await call('tasks/get', { id: crypto.randomUUID() })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  for (let n = 0; n < 4; n++) expect((await call('message/send', { message: message })).status).toBe(200);
  const refused = await call('message/send', { message: message });
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  await expectA2ARefused(Promise.resolve(refused), 429, 'RATE_LIMITED');
});
