/** Signals to a service with a running turn: to its process group, repeated immediately, and a second one later. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { until } from '../server/support/until.ts';
import { listening, type ServiceProcess, spawnProcess } from '../support/process.ts';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
const root = mkdtempSync(join(tmpdir(), 'skein-signals-'));
afterAll(() => rmSync(root, { recursive: true }));

const provider = scriptedProvider();
afterAll(() => provider.close());

let service: ServiceProcess | undefined;
afterEach(async () => {
  service?.killGroup('SIGKILL');
  await service?.exited;
});

/** The service in a separate process group, and a turn whose model call waits for its release. */
async function heldTurn(command: string[]) {
  const reached = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  provider.script = classifying(async () => {
    reached.resolve();
    return answer.promise;
  });
  const folder = mkdtempSync(join(root, 'service-'));
  // Like `bun run start`, without the installation.
  const start = packageJson.scripts.start.split(' && ').at(-1)?.replace('cli/main.ts', MAIN);
  await Bun.write(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'error'];
  const env = { HOME: folder, SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false', ...providerEnv(provider.url) };
  const child = spawnProcess([process.execPath, ...command, ...flags], folder, env, { detached: true });
  service = await listening(child);
  const turn = fetch(`${service.url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: 'It broke.', conversation_flow: 'classification-agent' }),
  }).then(
    async (response) => ((await response.json()) as { agent_response: string }).agent_response,
    () => 'connection lost',
  );
  await reached.promise;
  return { service, turn, release: () => answer.resolve('It is over.') };
}

const drains = (url: string) => until(async () => (await fetch(`${url}/readyz`)).status === 503, 60_000);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s for the process group of `bun run start` lets running turns end',
  async (signal) => {
    const { service, turn, release } = await heldTurn(['run', 'start']);
    service.killGroup(signal);
    await drains(service.url);
    release();
    expect(await turn).toContain('It is over.');
    expect(await service.exited).toBe(0);
  },
);

test('a signal that is repeated immediately counts once', async () => {
  const { service, turn, release } = await heldTurn(['--no-env-file', MAIN, 'serve']);
  // Two pending signals of the same kind would be merged into one.
  service.kill('SIGINT');
  service.kill('SIGTERM');
  await drains(service.url);
  release();
  expect(await turn).toContain('It is over.');
  expect(await service.exited).toBe(0);
});

test('a second signal, more than a second after the first, ends it immediately', async () => {
  const { service, turn } = await heldTurn(['--no-env-file', MAIN, 'serve']);
  const began = performance.now();
  let code: number | null | undefined;
  void service.exited.then((exited) => {
    code = exited;
  });
  await until(() => {
    service.kill('SIGTERM');
    return code !== undefined;
  }, 60_000);
  expect(code).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(1_000);
  expect(await turn).toBe('connection lost');
});
