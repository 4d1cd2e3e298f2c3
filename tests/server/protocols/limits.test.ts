/** Limits in every protocol: chats per minute, budgets and deadlines; and a service that shuts down. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { providerEnv, testService } from '../../support/service.ts';
import { GRAPHS } from '../openai/graphs.ts';
import { bearer, SECRET } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';
import type { Protocol } from './protocol.ts';
import { ask, expectRefused, PROTOCOLS, send } from './protocols.ts';

setDefaultTimeout(30_000);

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
// One caller per protocol, so that each has separate limits.
const nameOf = (protocol: Protocol) => `protocol-${PROTOCOLS.indexOf(protocol)}`;
const keyOf = (protocol: Protocol) => `the-key-of-${nameOf(protocol)}`;
const headersOf = (protocol: Protocol) => bearer(keyOf(protocol));
const apiKeys = ['all', ...PROTOCOLS.map(nameOf)].map(
  (name) => `{name: ${name}, sha256: ${sha256(`the-key-of-${name}`)}}`,
);
const AUTHENTICATION = `
  authentication:
    enable: true
    enable_global_middleware: true
    username: ann
    password: a long password
    jwt_secret_key: ${SECRET}
    api_keys: [${apiKeys.join(', ')}]
`;
const BUDGETS = PROTOCOLS.map(
  (protocol) => `
  - {caller: "key:${nameOf(protocol)}", workflow: echo, per: day, tokens: 30}
  - {caller: "key:${nameOf(protocol)}", workflow: classification-agent, per: day, tokens: 100}`,
);

const provider = runningProvider();
const limited = runningService(
  provider,
  `web_configuration:\n  rate_limit: {requests_per_minute: 2}${AUTHENTICATION}`,
  GRAPHS,
);
const budgeted = runningService(
  provider,
  `web_configuration:${AUTHENTICATION}budgets:${BUDGETS.join('')}`,
  GRAPHS,
);
const hurried = runningService(provider, 'limits: {run_seconds: 2, run_tokens: 40}\n', GRAPHS);

test('a caller has one rate limit over all protocols', async () => {
  const headers = bearer('the-key-of-all');
  const statuses: number[] = [];
  for (const protocol of PROTOCOLS) statuses.push((await ask(limited, protocol, {}, { headers })).status);
  expect(statuses).toEqual(PROTOCOLS.map((_, index) => (index < 2 ? 200 : 429)));
});

test('an answer to a question counts as a turn too', async () => {
  const headers = { ...bearer('the-key-of-all'), 'content-type': 'application/json' };
  const body = JSON.stringify({ value: 1 });
  const answered = await limited.fetch('/api/v1/threads/none/resume', { method: 'POST', headers, body });
  expect(answered.status).toBe(429);
  const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'resume', arguments: {} } };
  const accepts = { ...headers, accept: 'application/json, text/event-stream' };
  const called = await limited.fetch('/mcp', {
    method: 'POST',
    headers: accepts,
    body: JSON.stringify(tool),
  });
  expect(called.status).toBe(429);
});

describe.each(PROTOCOLS)('$name', (protocol) => {
  test('a turn beyond the rate limit is rejected with Retry-After', async () => {
    const headers = headersOf(protocol);
    for (let turn = 0; turn < 2; turn++)
      expect((await ask(limited, protocol, {}, { headers })).status).toBe(200);
    const refused = await ask(limited, protocol, {}, { headers });
    expectRefused(protocol, refused, { status: 429, code: 'RATE_LIMITED', says: /Too many requests/ });
    const numberIn = (name: string) => Number(refused.headers.get(name));
    expect(numberIn('retry-after')).toBeWithin(1, 61);
    expect([numberIn('ratelimit-limit'), numberIn('ratelimit-remaining')]).toEqual([2, 0]);
    expect(numberIn('ratelimit-reset')).toBeWithin(1, 61);
  });

  test('a used-up budget rejects the next run', async () => {
    const headers = headersOf(protocol);
    expect((await ask(budgeted, protocol, {}, { headers })).text).toBe('re: hi');
    const refused = await ask(budgeted, protocol, {}, { headers });
    const says = /budget of this day|budgets\[\d+\] allows 30 tokens/;
    expectRefused(protocol, refused, { status: protocol.limitStatus ?? 429, code: 'BUDGET_EXCEEDED', says });
    if (refused.status === 429) expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(provider.requests).toHaveLength(1);
  });

  test('a call that would exceed a budget is not made, and its run fails', async () => {
    const headers = headersOf(protocol);
    const pending = [
      ask(budgeted, protocol, { workflow: 'classification-agent' }, { headers }),
      ask(hurried, protocol, { workflow: 'classification-agent' }),
    ];
    const says = /allows 100 tokens per day|the budget is 40/;
    for (const refused of await Promise.all(pending))
      expectRefused(protocol, refused, { status: 500, code: 'BUDGET_EXCEEDED', says, by: 'run' });
    expect(provider.requests).toHaveLength(0);
  });
});

test('a run that exceeds its deadline ends in every protocol', async () => {
  provider.script = () => new Promise<Response>(() => {});
  const all = await Promise.all(
    PROTOCOLS.map(async (protocol) => ({ protocol, refused: await ask(hurried, protocol) })),
  );
  for (const { protocol, refused } of all)
    expectRefused(protocol, refused, {
      status: 500,
      code: 'RUN_TIMEOUT',
      says: /deadline|second/,
      by: 'run',
    });
  await until(() => provider.aborted === PROTOCOLS.length);
});

test('a full service rejects requests in every protocol', async () => {
  const config = 'limits: {concurrent_runs: 1, queued_runs: 1}\n';
  const full = await testService({ env: providerEnv(provider.url), graphs: GRAPHS, config });
  const held = Promise.withResolvers<string>();
  provider.script = () => held.promise;
  const chat = (user_prompt: string) => full.chat({ user_prompt, conversation_flow: 'echo' });
  const running = chat('one');
  await until(() => provider.requests.length === 1);
  const waiting = chat('two');
  await until(async () => (await (await full.fetch('/api/v1/runs')).text()).includes('"queued"'));
  for (const protocol of PROTOCOLS) {
    const refused = await ask(full, protocol);
    const says = /at its limit/;
    expectRefused(protocol, refused, { status: protocol.limitStatus ?? 503, code: 'OVERLOADED', says });
    if (refused.status === 503) expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  held.resolve('said');
  expect([(await running).status, (await waiting).status]).toEqual([200, 200]);
  await full.close();
});

test('a service that shuts down rejects requests in every protocol', async () => {
  const service = await testService({ env: providerEnv(provider.url), graphs: GRAPHS });
  await service.service.app.close(0);
  for (const protocol of PROTOCOLS) {
    const response = await send(service, protocol.ask({ text: 'hi', workflow: 'echo' }));
    const refused = { ...(await protocol.read(response)), headers: response.headers };
    expectRefused(protocol, refused, { status: 503, code: 'SHUTTING_DOWN', says: /shutting down/ });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await service.close();
});
