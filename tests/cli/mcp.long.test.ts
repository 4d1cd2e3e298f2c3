/** `skein mcp`, started by the official clients over its standard input and output. */
import { expect, onTestFinished, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { structured, textOf } from '../server/mcp/clients.ts';
import { echoing } from '../server/support/calls.ts';
import { KEY, protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { until } from '../server/support/until.ts';
import { BARE_ENVIRONMENT } from '../support/bare-environment.ts';
import { providerEnv, WITHOUT_SAMPLES, writeGraphs } from '../support/service.ts';
import { stateEnv } from '../support/test-state.ts';

setDefaultTimeout(60_000);

const MAIN = join(import.meta.dir, '../../cli/main.ts');
const provider = runningProvider();
const service = runningService(provider, protectedConfig());

const ASK = { name: 'classification_agent', arguments: { user_prompt: 'My pedal is broken' } };
const GRAPHS = {
  loud: `const State = Annotation.Root({ topic: Annotation(), reply: Annotation() });
console.log('a line at the start');
export default new StateGraph(State)
  .addNode('ask', async ({ topic }) => {
    console.log('a line of a node');
    process.stdout.write('another line');
    return { reply: interrupt({ question: topic }) };
  })
  .addEdge(START, 'ask')
  .compile();`,
};

async function command(args: string[], env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await writeGraphs(folder, GRAPHS);
  await Bun.write(join(folder, 'config.yml'), '');
  return {
    command: process.execPath,
    args: ['--no-env-file', MAIN, 'mcp', ...args],
    cwd: folder,
    env: {
      ...BARE_ENVIRONMENT,
      HOME: folder,
      ...WITHOUT_SAMPLES,
      ...(await stateEnv(folder)),
      ...providerEnv(provider.url),
      ...env,
    } as Record<string, string>,
    stderr: 'pipe' as const,
  };
}

async function connected(args: string[], { env = {}, mode = 'auto', forms = false }: Options = {}) {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, ...(forms && { capabilities: { elicitation: { form: {} } } }) },
  );
  if (forms)
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { value: '7' },
    }));
  const transport = new StdioClientTransport(await command(args, env));
  let errors = '';
  transport.stderr?.on('data', (piece) => (errors += piece));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, errors: () => errors };
}

interface Options {
  env?: Record<string, string>;
  mode?: 'auto' | 'legacy';
  forms?: boolean;
}

test.each(['auto', 'legacy'] as const)(
  'without a running service, it opens the files itself: %s',
  async (mode) => {
    const { client, errors } = await connected(['--port', '1'], { mode });
    const progress: unknown[] = [];
    const result = await client.callTool(ASK, { onprogress: ({ message }) => progress.push(message) });
    expect(structured(result).agent_response).toContain('support_responder: ');
    expect(progress.at(0)).toBe('classification_agent started');
    const waiting = await client.callTool({ name: 'loud', arguments: { topic: 'how many?' } });
    const { thread_id } = structured(waiting);
    const resumed = await client.callTool({ name: 'resume', arguments: { thread_id, value: 3 } });
    expect(structured(resumed).values).toEqual({ topic: 'how many?', reply: 3 });
    expect(errors()).toContain('a line at the start');
    expect(errors()).toContain('a line of a node');
  },
);

test('a client that supports forms asks the person', async () => {
  const { client } = await connected(['--port', '1'], { forms: true });
  const result = await client.callTool({ name: 'loud', arguments: { topic: 'how many?' } });
  expect(structured(result).values).toEqual({ topic: 'how many?', reply: 7 });
});

test('a running service gets the credentials of the environment', async () => {
  const { client } = await connected(['--url', service.url], { env: { SKEIN_API_KEY: KEY } });
  const result = await client.callTool(ASK);
  const { run_id } = structured(result);
  const run = await service.fetch(`/api/v1/runs/${run_id}`, { headers: { 'x-api-key': KEY } });
  expect(run.status).toBe(200);
});

test('rejected credentials are a protocol error', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport(await command(['--url', service.url]));
  const refused = await client.connect(transport).catch((error) => error);
  expect(refused.message).toContain('Missing or invalid credentials');
});

test('a cancelled request ends its turn, and the next request is served', async () => {
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const { client } = await connected(['--url', service.url], { env: { SKEIN_API_KEY: KEY } });
  const aborter = new AbortController();
  const call = client.callTool(ASK, { signal: aborter.signal });
  await until(() => provider.requests.length === 2, 20_000);
  aborter.abort();
  expect(await call.catch(() => 'refused')).toBe('refused');
  await until(() => provider.aborted === 1, 2_000);
  provider.script = echoing();
  expect(textOf(await client.callTool(ASK))).toContain('support_responder: ');
});

test('it exits with its client, and ends the running turn', async () => {
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const { command: program, args, cwd, env } = await command(['--port', '1']);
  const child = Bun.spawn([program, ...args], { cwd, env, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' });
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ASK };
  child.stdin.write(`${JSON.stringify(message)}\n`);
  await until(() => provider.requests.length === 2, 20_000);
  child.stdin.end();
  expect(await child.exited).toBe(0);
  await until(() => provider.aborted === 1, 2_000);
});

test('the client of version 1 of the package is served too', async () => {
  const client = new FirstClient({ name: 'test', version: '1' });
  await client.connect(new FirstTransport(await command(['--port', '1'])));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('loud');
  expect(structured((await client.callTool(ASK)) as object).agent_response).toContain('support_responder: ');
});

test('the configurations in docs/connect.md work', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/connect.md')).text();
  const blocks = Array.from(page.matchAll(/```json\n(.*?)```/gs), ([, text = '']) => JSON.parse(text));
  const [http, project, checkout] = blocks.map(({ mcpServers }) => mcpServers.skein);
  expect(http.url).toBe('http://localhost:8080/mcp');
  const headers = { Authorization: http.headers.Authorization.replace('YOUR_KEY', KEY) };
  const remote = new Client({ name: 'test', version: '1' });
  await remote.connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }),
  );
  onTestFinished(() => remote.close());
  expect((await remote.listTools()).tools.length).toBeGreaterThan(3);
  for (const entry of [project, checkout]) {
    expect(entry.command).toBe('bun');
    const { cwd: folder, env } = await command([]);
    const scripts = { skein: `${process.execPath} --no-env-file ${MAIN}` };
    await Bun.write(join(folder, 'package.json'), JSON.stringify({ scripts }));
    const args = entry.args.map((arg: string) =>
      arg
        .replace('/path/to/checkout/cli/main.ts', MAIN)
        .replace('/path/to/checkout', folder)
        .replace('/path/to/project', folder),
    );
    const client = new Client({ name: 'test', version: '1' });
    const started = { command: process.execPath, args: [...args, '--port', '1'], cwd: '/', env };
    await client.connect(new StdioClientTransport({ ...started, stderr: 'pipe' }));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
  }
});
