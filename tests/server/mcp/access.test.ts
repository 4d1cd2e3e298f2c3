/** Access to the MCP endpoint, its rate limit and its formats: as in every protocol. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { ANN, BOB, protectedConfig, ROBOT } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { connected, structured, textOf } from './clients.ts';

// Hashing passwords is slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const web = 'cors_origins: [https://app.example]\n  rate_limit: {requests_per_minute: 3}';
const guarded = runningService(
  provider,
  protectedConfig().replace('web_configuration:', `web_configuration:\n  ${web}`),
);
const open = runningService(provider);

const CALL = { name: 'classification_agent', arguments: { user_prompt: 'hi', thread_id: 'ours' } };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

function posted(body: string, headers: Record<string, string> = {}): RequestInit {
  const accept = 'application/json, text/event-stream';
  return { method: 'POST', body, headers: { 'content-type': 'application/json', accept, ...headers } };
}

test('threads belong to the caller of the request', async () => {
  const [ann, bob] = await Promise.all(
    [ANN, BOB].map((headers) => connected(guarded.url, { headers: headers as Record<string, string> })),
  );
  const first = await ann?.callTool(CALL);
  const second = await bob?.callTool(CALL);
  expect([first, second].map((result) => structured(result ?? {}).thread_id)).toEqual(['ours', 'ours']);
  const known = provider.requests.at(-1)?.messages.filter(({ role }) => role === 'user');
  expect(known).toHaveLength(1);
  const resumed = await bob?.callTool({ name: 'resume', arguments: { thread_id: 'none', value: 1 } });
  expect(textOf(resumed ?? { content: [] })).toStartWith('THREAD_NOT_FOUND: ');
});

test('calls of workflows count as chats, and other requests do not', async () => {
  const client = await connected(guarded.url, { headers: ROBOT });
  for (let round = 0; round < 5; round++) await client.listTools();
  for (let round = 0; round < 3; round++) expect((await client.callTool(CALL)).isError ?? false).toBeFalse();
  const call = { ...LIST, method: 'tools/call', params: CALL };
  const refused = await guarded.fetch('/mcp', posted(JSON.stringify(call), ROBOT));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61);
  expect(await refused.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { code: -32000, data: { error_code: 'RATE_LIMITED' } },
  });
  expect(
    (await guarded.fetch('/api/v1/chat', posted('{"user_prompt":"x","conversation_flow":"x"}', ROBOT)))
      .status,
  ).toBe(429);
  await client.listTools();
});

test('pages of other origins are rejected, whatever they request', async () => {
  const foreign = { origin: 'https://evil.example' };
  for (const init of [posted(JSON.stringify(LIST), foreign), posted('{', foreign), { headers: foreign }]) {
    const response = await open.fetch('/mcp', init);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { data: { error_code: 'ORIGIN_NOT_ALLOWED' } } });
  }
  // DNS rebinding: a name that resolves to this address has the origin of that page.
  const rebound = { origin: 'http://evil.example', host: 'evil.example' };
  expect((await open.fetch('/mcp', posted(JSON.stringify(LIST), rebound))).status).toBe(403);
  const own = { origin: new URL(open.url).origin };
  expect((await open.fetch('/mcp', posted(JSON.stringify(LIST), own))).status).toBe(200);
  const named = { origin: 'https://app.example', ...ANN };
  const allowed = await guarded.fetch('/mcp', posted(JSON.stringify(LIST), named));
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
  const requestedHeaders = 'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name';
  const preflight = await guarded.fetch('/mcp', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': requestedHeaders,
    },
  });
  const headers = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
  expect(headers).toEqual(expect.arrayContaining(requestedHeaders.split(', ')));
});

test('an invalid message is rejected with a JSON-RPC error', async () => {
  const cases: [RequestInit, number, number][] = [
    [posted('{'), 400, -32700],
    [posted('{}'), 400, -32600],
    [posted('[]'), 400, -32600],
    [{ ...posted('{}'), headers: { 'content-type': 'text/plain' } }, 400, -32600],
    [posted(JSON.stringify({ ...LIST, method: 'tools/unknown' })), 200, -32601],
    [{}, 405, -32600],
    [{ method: 'DELETE' }, 405, -32600],
  ];
  for (const [init, status, code] of cases) {
    const response = await open.fetch('/mcp', init);
    const text = await response.text();
    const message = JSON.parse(/^(?:event: message\n)?data: (.*)$/m.exec(text)?.[1] ?? text);
    expect({ status: response.status, code: message.error?.code }).toEqual({ status, code });
    expect(response.headers.get('x-request-id')).not.toBeNull();
  }
  const noted = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect((await open.fetch('/mcp', posted(JSON.stringify(noted)))).status).toBe(202);
});

test('unknown parameters of a method are rejected with their path', async () => {
  for (const [method, params, place] of [
    ['tools/list', { cursor: {} }, 'params.cursor'],
    ['tools/call', { name: 1 }, 'params.name'],
    ['tools/call', { name: 'classification_agent', arguments: 5 }, 'params.arguments'],
    ['resources/read', undefined, 'params'],
    ['resources/read', {}, 'params.uri'],
    ['prompts/get', { name: 'x', arguments: { a: 1 } }, 'params.arguments.a'],
    ['prompts/get', [], 'params'],
    ['initialize', { capabilities: {} }, 'params.protocolVersion'],
  ] as const) {
    const response = await open.fetch('/mcp', posted(JSON.stringify({ ...LIST, id: 'one', method, params })));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: 'one',
      error: {
        ...{ code: -32602, message: `${place}: not valid for ${method}` },
        data: { error_code: 'INVALID_REQUEST' },
      },
    });
  }
});

test('a document outside the folder is not found, and the error does not name its path', async () => {
  const client = await connected(open.url);
  const far = { uri: `skein://documents/${encodeURIComponent('../config.yml')}` };
  const refused = await client.readResource(far).catch((error) => error);
  expect({ code: refused.code, error_code: refused.data.error_code }).toEqual({
    code: -32602,
    error_code: 'DOCUMENT_NOT_FOUND',
  });
  expect(refused.message).not.toContain('config');
});
