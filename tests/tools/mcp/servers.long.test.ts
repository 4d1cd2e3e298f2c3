/** Configured MCP servers as processes and over HTTP: when they start and end, and that a failure affects only its own call. */
import { afterAll, expect, onTestFinished, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpServerOptions } from '../../../tools/mcp/options.ts';
import { openMcpServers } from '../../../tools/mcp/servers.ts';
import { pythonWith } from '../../server/support/python.ts';
import { until } from '../../server/support/until.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-mcp-servers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SCRIPT = join(import.meta.dir, 'scripted-server.ts');
const never = new AbortController().signal;

function program(
  kind: string,
  more: Partial<McpServerOptions> = {},
): { options: McpServerOptions; starts(): number[] } {
  const file = join(folder, `starts-${Bun.randomUUIDv7()}`);
  return {
    options: {
      command: process.execPath,
      args: [SCRIPT, kind, file],
      ...{ env: {}, headers: {}, timeout_seconds: 20 },
      ...more,
    },
    starts: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []),
  };
}

function opened(options: Record<string, McpServerOptions>) {
  const lines: object[] = [];
  const log = { info: () => {}, warn: (fields: object) => void lines.push(fields) };
  const servers = openMcpServers({ options, folder, version: '1', log: log as never });
  onTestFinished(() => servers.close());
  const act = async (what: string, server = 'one', signal = never) => {
    const result = await servers.call(server, { tool: 'act', given: { what }, signal });
    return String(result.content[0]?.text);
  };
  return { servers, act, lines, stateOf: () => servers.states()[0] };
}

const failure = (call: Promise<unknown>) => call.then(String, ({ detail }) => detail);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each(['first', 'both', 'modern'])(
  'a program of the official package is started at its first use: %s',
  async (kind) => {
    const { options, starts } = program(kind);
    const { servers, act, stateOf } = opened({ one: options });
    expect(servers.states()).toEqual([{ server: 'one', state: 'unused' }]);
    expect(starts()).toEqual([]);
    const [first] = await servers.tools('one', never);
    expect(first).toMatchObject({ name: 'act', description: 'Does what it is told' });
    expect(await Promise.all([act('say a'), act('say b')])).toEqual(['a', 'b']);
    expect(stateOf()).toEqual({ server: 'one', state: 'running' });
    // A server that rejects the handshake of revisions before 2026 is restarted with its own revision.
    expect(starts()).toHaveLength(kind === 'modern' ? 2 : 1);
    await servers.close();
    await until(() => starts().every((pid) => !isAlive(pid)));
    expect(await failure(act('say c'))).toBe('mcp_servers.one: the service is stopping');
  },
);

test("a program starts in the project's folder, with its own variables and those that find programs", async () => {
  process.env.CANARY_OF_THE_SERVICE = 'x';
  onTestFinished(() => void delete process.env.CANARY_OF_THE_SERVICE);
  const { act } = opened({ one: program('first', { env: { OWN: 'yes' } }).options });
  expect(await act('folder')).toEndWith(folder);
  const environment = JSON.parse(await act('environment'));
  expect(environment).toMatchObject({ OWN: 'yes', PATH: expect.any(String) });
  expect(environment).not.toHaveProperty('CANARY_OF_THE_SERVICE');
});

test('a tool error is a result, and so are invalid arguments', async () => {
  const { servers } = opened({ one: program('first').options });
  const call = (given: Record<string, unknown>) => servers.call('one', { tool: 'act', given, signal: never });
  expect(await call({ what: 'fail' })).toMatchObject({
    isError: true,
    content: [{ text: 'it failed on purpose' }],
  });
  expect(await call({})).toMatchObject({ isError: true });
  const unknown = await servers.call('one', { tool: 'nothing', given: {}, signal: never });
  expect(unknown.isError).toBeTrue();
});

test('a server that dies fails its calls, and the next use restarts it', async () => {
  const { options, starts } = program('first');
  const { act, lines, stateOf } = opened({ one: options });
  const hanging = failure(act('hang'));
  expect(await failure(act('die'))).toBe('mcp_servers.one: it exited before it responded');
  expect(await hanging).toBe('mcp_servers.one: it exited before it responded');
  await until(() => lines.length === 1);
  expect(stateOf()).toEqual({ server: 'one', state: 'failed', reason: 'it exited' });
  expect(await act('say again')).toBe('again');
  expect(starts()).toHaveLength(2);
  process.kill(starts()[1] ?? 0, 'SIGKILL');
  await until(() => lines.length === 2);
  expect(await act('say once more')).toBe('once more');
});

test('a call times out; a program that sends nothing is replaced', async () => {
  const { options, starts } = program('first', { timeout_seconds: 1 });
  const { act, stateOf } = opened({ one: options });
  await act('say ready');
  const hanging = failure(act('hang'));
  await Bun.sleep(100);
  await act('say meanwhile');
  expect(await hanging).toBe('mcp_servers.one: no answer within 1 s');
  expect(stateOf()).toMatchObject({ state: 'running' });
  expect(await failure(act('block'))).toBe('mcp_servers.one: no answer within 1 s');
  expect(stateOf()).toMatchObject({ state: 'failed', reason: 'it stopped answering' });
  expect(await act('say anew')).toBe('anew');
  expect(starts()).toHaveLength(2);
  expect(isAlive(starts()[0] ?? 0)).toBeFalse();
});

test.each(['flood', 'garbage'])(
  "a server that sends without end is ended, and other calls don't wait for it: %s",
  async (what) => {
    const { options, starts } = program('first');
    const { act, stateOf } = opened({ one: options, two: program('first').options });
    await Promise.all([act('say a'), act('say b', 'two')]);
    const flooding = failure(act(what));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    expect(await act('say c', 'two')).toBe('c');
    expect(await flooding).toBe('mcp_servers.one: it exited before it responded');
    clearInterval(timer);
    // The event loop's delay on a busy machine.
    expect(longest).toBeLessThan(1_000);
    expect(stateOf()).toMatchObject({
      state: 'failed',
      reason: 'it sent too much unrequested output',
    });
    await until(() => !isAlive(starts()[0] ?? 0));
    expect(await act('say anew')).toBe('anew');
  },
);

test('a message that is too large fails the call', async () => {
  const { act, stateOf } = opened({ one: program('first').options });
  expect(await failure(act('huge'))).toBe('mcp_servers.one: it exited before it responded');
  expect(stateOf()).toMatchObject({ reason: 'a line is longer than 4194304 bytes' });
  expect(await act('say anew')).toBe('anew');
});

test('a server that cannot be started gives the reason, and is not retried immediately', async () => {
  const { options, starts } = program('dead');
  const dead = opened({ one: options });
  expect(await failure(dead.act('say a'))).toBe('mcp_servers.one: it exited before it responded');
  expect(await failure(dead.act('say a'))).toBe('mcp_servers.one: it exited before it responded');
  expect(starts()).toHaveLength(1);
  await Bun.sleep(1_100);
  await failure(dead.act('say a'));
  expect(starts()).toHaveLength(2);
  const none = opened({ one: { ...options, command: '/nowhere/program' } });
  expect(await failure(none.act('say a'))).toBe('mcp_servers.one: the program is not found');
  expect(none.stateOf()).toEqual({ server: 'one', state: 'failed', reason: 'the program is not found' });
  expect(await none.servers.tools('other', never).catch(({ code, message }) => [code, message])).toEqual([
    'CONFIGURATION_ERROR',
    "Validation error in field 'mcp_servers': server 'other' is not configured; the configured servers are: one",
  ]);
});

test('standard error of a program is logged without the secrets that it was given', async () => {
  const { act, lines } = opened({ one: program('loud', { env: { SECRET: 'canary-secret' } }).options });
  await failure(act('say a'));
  expect(lines).toEqual([
    { mcp_server: 'one', reason: 'it exited before it responded', said: 'the key is [redacted]\n' },
  ]);
});

test('no call waits for a starting server longer than its caller or the service lives', async () => {
  const { options, starts } = program('silent');
  const { servers, act } = opened({ one: options });
  const aborter = new AbortController();
  const call = act('say a', 'one', aborter.signal).catch((error) => error);
  await until(() => starts().length === 1, 10_000);
  aborter.abort(new Error('the run was cancelled'));
  expect((await call).message).toBe('the run was cancelled');
  const began = performance.now();
  await servers.close();
  expect(performance.now() - began).toBeLessThan(5_000);
  await until(() => !isAlive(starts()[0] ?? 0));
});

test('a call of a cancelled run stops waiting, and the server keeps running', async () => {
  const { act, stateOf } = opened({ one: program('first').options });
  await act('say ready');
  const aborter = new AbortController();
  const call = act('hang', 'one', aborter.signal).catch((error) => error);
  aborter.abort(new Error('the run was cancelled'));
  expect((await call).message).toBe('the run was cancelled');
  expect(await act('say after')).toBe('after');
  expect(stateOf()).toMatchObject({ state: 'running' });
});

test('requests to an HTTP server carry its headers, and work again after an outage', async () => {
  const seen: (string | null)[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'remote', version: '1' });
    const inputSchema = z.object({ what: z.string() });
    server.registerTool('act', { inputSchema }, ({ what }) => ({
      content: [{ type: 'text', text: `http ${what}` }],
    }));
    return server;
  });
  const serve = (port = 0) =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch(request) {
        seen.push(request.headers.get('authorization'));
        return request.headers.get('authorization') === 'Bearer right'
          ? handler.fetch(request)
          : new Response('no', { status: 401 });
      },
    });
  let server = serve();
  const { port } = server;
  const url = `http://127.0.0.1:${port}/mcp`;
  const http = { url, args: [], env: {}, timeout_seconds: 5 };
  const { act, stateOf } = opened({
    one: { ...http, headers: { authorization: 'Bearer right' } },
    two: { ...http, headers: {} },
  });
  expect(await act('a')).toBe('http a');
  expect(new Set(seen)).toEqual(new Set(['Bearer right']));
  expect(await failure(act('a', 'two'))).toBe('mcp_servers.two: it responds with status 401');
  await server.stop(true);
  expect(await failure(act('b'))).toBe('mcp_servers.one: it cannot be reached');
  expect(stateOf()).toMatchObject({ state: 'failed' });
  server = serve(port);
  onTestFinished(() => server.stop(true));
  await until(async () => (await failure(act('c'))) === 'http c');
});

test.each<[string, () => Response, string]>([
  [
    'endless',
    () => new Response(endless(), { headers: { 'content-type': 'application/json' } }),
    'it does not speak MCP',
  ],
  [
    'no MCP',
    () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    'it does not speak MCP',
  ],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302), 'it responds with status 302'],
  ['an error', () => new Response('secret text', { status: 500 }), 'it responds with status 500'],
])('an HTTP server with an invalid response fails only its call: %s', async (_, answer, reason) => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  onTestFinished(() => server.stop(true));
  const one = { url: `${server.url}mcp`, args: [], env: {}, headers: {}, timeout_seconds: 5 };
  expect(await failure(opened({ one }).act('a'))).toBe(`mcp_servers.one: ${reason}`);
});

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 16).fill(0x20)) });
}

test('a server built with the official Python package works over standard streams and over HTTP', async () => {
  const python = await pythonWith(['mcp==2.3.0']);
  if (python === undefined) return;
  const script = join(import.meta.dir, 'python-server.py');
  const rest = { env: {}, headers: {}, timeout_seconds: 20 };
  const port = await freePort();
  const child = Bun.spawn([python, script, String(port)], { stdout: 'ignore', stderr: 'ignore' });
  onTestFinished(async () => {
    child.kill();
    await child.exited;
  });
  const { servers, act } = opened({
    one: { ...rest, command: python, args: [script] },
    two: { ...rest, url: `http://127.0.0.1:${port}/mcp`, args: [] },
  });
  expect((await servers.tools('one', never)).map(({ name }) => name)).toEqual(['act']);
  expect(await act('say hello')).toBe('hello');
  await until(async () => (await failure(act('say hello', 'two'))) === 'hello', 20_000);
  expect((await servers.tools('two', never)).map(({ name }) => name)).toEqual(['act']);
}, 300_000);

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}

test('a server built with version 1 of the package works over HTTP', async () => {
  const { McpServer: FirstServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  );
  const web = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const server = new FirstServer({ name: 'first', version: '1' });
      server.registerTool('act', { inputSchema: { what: z.string() } }, ({ what }) => ({
        content: [{ type: 'text', text: `first ${what}` }],
      }));
      const transport = new Transport({ sessionIdGenerator: undefined });
      await server.connect(transport as never);
      return transport.handleRequest(request);
    },
  });
  onTestFinished(() => web.stop(true));
  const one = { url: `${web.url}mcp`, args: [], env: {}, headers: {}, timeout_seconds: 5 };
  const { servers, act } = opened({ one });
  expect((await servers.tools('one', never)).map(({ name }) => name)).toEqual(['act']);
  expect(await act('a')).toBe('first a');
});
