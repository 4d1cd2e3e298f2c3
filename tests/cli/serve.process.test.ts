/** The service as a process: start, failed start, kill and drain. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening, type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { classifying, type Provider, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(30_000);

const root = mkdtempSync(join(tmpdir(), 'skein-serve-'));
let folders = 0;
const newFolder = async () => {
  const folder = join(root, String(folders++));
  await Bun.write(join(folder, '.keep'), '');
  return folder;
};

const running: ServiceProcess[] = [];
const providers: Provider[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) {
    service.kill('SIGKILL');
    await service.exited;
  }
  for (const provider of providers.splice(0)) await provider.close();
});
afterAll(() => rmSync(root, { recursive: true }));

async function serve(folder: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await spawnService(folder, env);
  running.push(service);
  return service;
}

function provide(...args: Parameters<typeof scriptedProvider>): Provider {
  const provider = scriptedProvider(...args);
  providers.push(provider);
  return provider;
}

async function say(service: ServiceProcess, user_prompt: string, thread_id = 't') {
  const response = await fetch(`${service.url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt, thread_id, conversation_flow: 'classification-agent' }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

test('a conversation survives kill -9, without any API key', async () => {
  const folder = await newFolder();
  const first = await serve(folder);
  expect(first.output()).toContain('skein-offline');
  expect((await say(first, 'My name is Ana.')).status).toBe(200);
  expect((await say(first, 'I ride a 2021 Trek Marlin.')).status).toBe(200);
  first.kill('SIGKILL');
  await first.exited;
  const second = await serve(folder);
  expect((await say(second, 'What is my name?')).body.agent_response).toContain('Your name is Ana.');
  expect((await say(second, 'Which bike do I ride?')).body.agent_response).toContain('Trek Marlin');
});

test('a run that kill -9 interrupted continues without calling the finished agent again', async () => {
  const folder = await newFolder();
  const reached = Promise.withResolvers<void>();
  const never = new Promise<Response>(() => {});
  const provider = provide(
    classifying(() => {
      reached.resolve();
      return never;
    }),
  );
  const first = await serve(folder, providerEnv(provider.url));
  const lost = say(first, 'My pedal broke.').catch(() => 'connection lost');
  await reached.promise;
  first.kill('SIGKILL');
  expect(await lost).toBe('connection lost');
  await first.exited;

  provider.script = classifying('Stop riding it.');
  const second = await serve(folder, providerEnv(provider.url));
  expect(second.output()).toContain('recovered  1 unfinished run');
  const { status, body } = await say(second, 'And now?');
  expect(status).toBe(200);
  expect(body.agent_response).toContain('Stop riding it.');
  const tasks = provider.requests.map(({ response_format, messages }) => [
    response_format ? 'classify' : 'answer',
    messages.filter(({ role }) => role !== 'system').map(({ content }) => content),
  ]);
  expect(tasks).toEqual([
    ['classify', ['My pedal broke.']],
    ['answer', ['My pedal broke.']],
    ['answer', ['My pedal broke.']],
    ['classify', ['My pedal broke.', 'Stop riding it.', 'And now?']],
    ['answer', ['My pedal broke.', 'Stop riding it.', 'And now?']],
  ]);
});

test('a run that is interrupted three times fails at the next start, and its thread continues', async () => {
  const folder = await newFolder();
  const provider = provide(classifying(() => new Promise<Response>(() => {})));
  for (const calls of [2, 3, 4]) {
    const service = await serve(folder, providerEnv(provider.url));
    if (calls === 2) say(service, 'My pedal broke.').catch(() => {});
    while (provider.requests.length < calls) await Bun.sleep(5);
    // An attempt is stored shortly after it starts.
    await Bun.sleep(100);
    service.kill('SIGKILL');
    await service.exited;
  }
  provider.script = classifying('Fine.');
  const service = await serve(folder, providerEnv(provider.url));
  expect((await say(service, 'And now?')).body.agent_response).toContain('Fine.');
  expect(provider.requests.at(-1)?.messages.map(({ content }) => content)).not.toContain('My pedal broke.');
  expect(provider.requests.length).toBe(6);
}, 60_000);

test('after SIGTERM, a running turn ends, new ones are rejected, and the exit code is 0', async () => {
  const folder = await newFolder();
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<string>();
  const provider = provide(
    classifying(async () => {
      reached.resolve();
      return release.promise;
    }),
  );
  const service = await serve(folder, providerEnv(provider.url));
  const turn = say(service, 'Something broke.');
  await reached.promise;
  service.kill('SIGTERM');
  while ((await fetch(`${service.url}/readyz`)).status === 200) await Bun.sleep(5);
  const refused = await say(service, 'Me too.', 'other');
  expect(refused.status).toBe(503);
  expect(refused.body.error_code).toBe('SHUTTING_DOWN');
  release.resolve('It is over.');
  expect((await turn).body.agent_response).toContain('It is over.');
  expect(await service.exited).toBe(0);
});

test('a flag sets how long turns may take after SIGTERM', async () => {
  for (const wrong of ['-1', 'soon', '3601']) {
    const refused = spawnCommand(['serve', `--drain-seconds=${wrong}`], await newFolder());
    expect(await refused.exited).toBe(2);
    await refused.errors;
    expect(refused.output()).toContain("'--drain-seconds': expected an integer from 0 to 3600");
  }
  const reached = Promise.withResolvers<void>();
  const provider = provide(() => {
    reached.resolve();
    return (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject));
  });
  const env = { SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false', ...providerEnv(provider.url) };
  const flags = ['--port', '0', '--host', '127.0.0.1', '--drain-seconds', '0'];
  const service = await listening(spawnCommand(['serve', ...flags], await newFolder(), env));
  running.push(service);
  const turn = say(service, 'Something broke.');
  await reached.promise;
  service.kill('SIGTERM');
  expect(await turn).toMatchObject({ status: 503, body: { error_code: 'SHUTTING_DOWN' } });
  expect(await service.exited).toBe(0);
});

test('a second process on the same state file fails to start', async () => {
  const folder = await newFolder();
  await serve(folder);
  const second = spawnCommand(['serve', '--port', '0'], folder);
  expect(await second.exited).toBe(2);
  await second.errors;
  expect(second.output()).toStartWith(
    "Validation error in field 'chat_history.database_path': another process is using this state file",
  );
});

test('the error for a port in use names WEB_PORT', async () => {
  const service = await serve(await newFolder());
  const port = new URL(service.url).port;
  const second = spawnCommand(['serve', '--host', '127.0.0.1'], await newFolder(), { WEB_PORT: port });
  expect(await second.exited).toBe(2);
  await second.errors;
  expect(second.output()).toBe(
    `Validation error in field 'web_configuration.port': cannot listen on port ${port}: the port is already in use; set WEB_PORT or --port to another port\n`,
  );
});

test('an invalid setting stops the start with its path and exit code 2', async () => {
  const child = spawnCommand(['serve'], await newFolder(), { SERVICE_WEB_CONFIGURATION__PROT: '8080' });
  expect(await child.exited).toBe(2);
  await child.errors;
  expect(child.output()).toContain("Validation error in field 'web_configuration.prot'");
  expect(child.output()).toContain("did you mean 'port'");
});

test('authentication that protects nothing causes a warning at the start', async () => {
  const block = 'SERVICE_WEB_CONFIGURATION__AUTHENTICATION__';
  const service = await spawnService(await newFolder(), {
    [`${block}ENABLE`]: 'true',
    [`${block}USERNAME`]: 'a',
    [`${block}PASSWORD`]: 'password-canary',
    [`${block}JWT_SECRET_KEY`]: 'secret-canary'.repeat(3),
  });
  expect(service.output()).toContain('enable without enable_global_middleware protects nothing');
  const headers = { authorization: `Basic ${btoa('a:password-canary')}` };
  const text = await (await fetch(`${service.url}/api/v1/diagnostic`, { headers })).text();
  expect(text).toContain('enable without enable_global_middleware protects nothing');
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(text + service.output()).not.toContain('canary');
});

test('an unknown command is rejected with the help, and --help prints it', async () => {
  const unknown = spawnCommand(['sevre'], await newFolder());
  expect(await unknown.exited).toBe(2);
  await unknown.errors;
  expect(unknown.output()).toContain("unknown command 'sevre'");
  const help = spawnCommand(['--help'], await newFolder());
  expect(await Array.fromAsync(help.lines)).toEqual([expect.stringContaining('skein serve')]);
  expect(await help.exited).toBe(0);
});
