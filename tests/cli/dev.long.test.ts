/** `skein dev`: changes in the project are served without a manual restart, and it waits until errors are fixed. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening, spawnCommand, spawnProcess } from '../support/process.ts';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { CTRL_C, terminal } from '../support/terminal.ts';

// Each change restarts the service, on a machine that may be busy.
setDefaultTimeout(300_000);

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'skein-dev-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(join(import.meta.dir, '..', '..'), join(folder, 'node_modules', 'skein'));
afterAll(() => rmSync(folder, { recursive: true }));

const hello = (greeting: string) => `import { Conversation, END, START, StateGraph, workflow } from 'skein';
export default workflow({
  description: '${greeting}', example: 'Hi', agents: () => [{ name: 'greeter', description: 'Greets' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('greeter', agent('greeter', async () => ({ content: '${greeting}' })))
    .addEdge(START, 'greeter').addEdge('greeter', END),
});`;

const write = (name: string, text: string) => Bun.write(join(folder, name), text);

interface Listed {
  workflow: string;
  description: string;
}

/** Runs `skein dev` in the project's folder and waits for its output. */
function develop(env: Record<string, string> = {}, more: string[] = []) {
  const dev = spawnCommand(
    ['dev', '--port', '0', '--host', '127.0.0.1', '--log-level', 'error', ...more],
    folder,
    env,
  );
  const lines = dev.lines[Symbol.asyncIterator]();
  let url = '';

  /** Checks again after each output, because a change can cause several restarts. */
  async function until(condition: (output: string) => boolean | Promise<boolean>): Promise<void> {
    const from = dev.output().length;
    for (;;) {
      if ((await lines.next()).done) throw new Error(`skein dev ended:\n${dev.output()}`);
      if (await condition(dev.output().slice(from))) return;
    }
  }
  const serves = (matches: (workflows: Listed[]) => boolean | Promise<boolean> = () => true) =>
    until(async (output) => {
      url = /listening on (\S+)\s*$/.exec(output)?.[1] ?? '';
      const response = url && (await fetch(`${url}/api/v1/workflows`).catch(() => undefined));
      return response ? matches(((await response.json()) as { workflows: Listed[] }).workflows) : false;
    });
  return { dev, until, serves, url: () => url };
}

test('new and changed workflows are served, and a broken configuration is retried after its repair', async () => {
  const { dev, until, serves, url } = develop();
  const greets = (greeting: string) =>
    serves((all) =>
      all.some(({ workflow, description }) => workflow === 'hello' && description === greeting),
    );

  try {
    await serves((all) => all.length === 3);
    await write('graphs/hello/graph.ts', hello('Good day.'));
    await greets('Good day.');
    await write('graphs/hello/graph.ts', hello('Good evening.'));
    await greets('Good evening.');
    await write('config.yml', 'memory: {window_mesages: 3}');
    await until((output) => output.includes('exited with code 2; waiting for a change'));
    await write('config.yml', 'memory: {window_messages: 3}');
    await greets('Good evening.');
    await write('graphs/hello/graph.ts', 'export default workflow({');
    await serves((all) =>
      all.some(({ description }) => description.startsWith('Broken: graphs/hello/graph.ts: ')),
    );
    rmSync(join(folder, 'graphs/hello'), { recursive: true });
    await serves((all) => all.length === 3);
  } finally {
    dev.kill('SIGINT');
  }
  expect(await dev.exited).toBe(0);
  expect(await fetch(url()).catch(() => 'gone')).toBe('gone');
});

test('a caller that waits for a turn during a restart gets the id of the run, which continues', async () => {
  let isHeld = true;
  const called = Promise.withResolvers<void>();
  const provider = scriptedProvider((request) => {
    if (!isHeld) return classifying('It went on.')(request, 0);
    called.resolve();
    return (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject));
  });
  const { dev, serves, url } = develop(providerEnv(provider.url));
  try {
    await serves();
    const waiting = fetch(`${url()}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'My pedal broke.', conversation_flow: 'classification-agent' }),
    });
    await called.promise;
    isHeld = false;
    await write('config.yml', 'memory: {window_messages: 4}');
    const refused = await waiting;
    const { error_code, detail } = (await refused.json()) as { error_code: string; detail: string };
    expect({ status: refused.status, error_code }).toEqual({ status: 503, error_code: 'SHUTTING_DOWN' });
    const [runId] = /[0-9a-f-]{36}/.exec(detail) ?? [];
    // Another restart may interrupt the request.
    const events = () => fetch(`${url()}/api/v1/runs/${runId}/stream`).then((followed) => followed.text());
    await serves(async () => (await events().catch(() => '')).includes('It went on.'));
  } finally {
    dev.kill('SIGINT');
    await dev.exited;
    await provider.close();
  }
});

test('a repeated signal to its process group lets the service report that it stops', async () => {
  const called = Promise.withResolvers<void>();
  const provider = scriptedProvider(() => {
    called.resolve();
    return (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject));
  });
  const command = [process.execPath, '--no-env-file', MAIN, 'dev', '--port', '0', '--host', '127.0.0.1'];
  const env = { HOME: folder, ...providerEnv(provider.url) };
  const dev = await listening(spawnProcess(command, folder, env, { detached: true }));
  try {
    const waiting = fetch(`${dev.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'My pedal broke.', conversation_flow: 'classification-agent' }),
    });
    await called.promise;
    dev.killGroup('SIGINT');
    dev.killGroup('SIGTERM');
    expect((await waiting).status).toBe(503);
    expect(await dev.exited).toBe(0);
  } finally {
    dev.kill('SIGKILL');
    await provider.close();
  }
});

test('Ctrl-C in a terminal also informs waiting callers', async () => {
  const called = Promise.withResolvers<void>();
  const provider = scriptedProvider(() => {
    called.resolve();
    return (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject));
  });
  const args = ['dev', '--port', '0', '--host', '127.0.0.1', '--log-level', 'error'];
  const dev = terminal(args, folder, providerEnv(provider.url));
  try {
    await dev.sees('listening on ', 120_000);
    await dev.sees('\n', 120_000);
    const url = /listening on (\S+)/.exec(dev.shown())?.[1];
    const waiting = fetch(`${url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'My pedal broke.', conversation_flow: 'classification-agent' }),
    });
    await called.promise;
    dev.type(CTRL_C);
    expect((await waiting).status).toBe(503);
    expect(await dev.exited).toBe(0);
  } finally {
    dev.close();
    await provider.close();
  }
});

test('--studio prints the address of LangGraph Studio, and allows its origin in addition to those of the settings', async () => {
  const own = { SERVICE_WEB_CONFIGURATION__CORS_ORIGINS__0: 'https://app.example.org' };
  const { dev, serves, url } = develop(own, ['--studio']);
  try {
    await serves();
    expect(dev.output()).toContain('https://smith.langchain.com/studio/?baseUrl=http%3A%2F%2Flocalhost%3A0');
    for (const origin of ['https://smith.langchain.com', 'https://app.example.org']) {
      const { headers } = await fetch(`${url()}/info`, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    }
  } finally {
    dev.kill('SIGTERM');
    await dev.exited;
  }
});
