/** `skein chat --message` with a service that is killed, restarted, or stopped permanently. */
import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../support/bare-environment.ts';
import { type ServiceProcess, spawnService } from '../../support/process.ts';
import { classifying, eventStream, scriptedProvider } from '../../support/provider.ts';
import { providerEnv } from '../../support/service.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(180_000);

const MAIN = join(import.meta.dir, '..', '..', '..', 'cli', 'main.ts');
let folder = '';
const provider = scriptedProvider();
let open: { kill(signal: NodeJS.Signals): void; exited: Promise<unknown> }[] = [];
beforeEach(() => {
  // A run that a test leaves behind would continue in the next one's service.
  folder = mkdtempSync(join(tmpdir(), 'skein-chat-message-'));
});
afterEach(async () => {
  for (const each of open) each.kill('SIGKILL');
  await Promise.all(open.map(({ exited }) => exited));
  open = [];
  rmSync(folder, { recursive: true });
});
afterAll(() => provider.close());

async function service(port?: string): Promise<ServiceProcess> {
  const started = await spawnService(folder, providerEnv(provider.url), port ? { port } : {});
  open.push(started);
  return started;
}

/** Returns the complete output of the command. */
function chat(url: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, 'chat', '--url', url, ...args], {
    cwd: folder,
    env: BARE_ENVIRONMENT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  open.push({ kill: (signal) => child.kill(signal), exited: child.exited });
  const ended = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: ended.then(([out, errors, code]) => ({ out, errors, code })),
  };
}

/** Resolves when the responder gets a request, which it never answers. */
function silentResponder(): Promise<void> {
  const called = Promise.withResolvers<void>();
  provider.script = classifying(() => {
    called.resolve();
    return eventStream(new ReadableStream());
  });
  return called.promise;
}

test.each([
  ['the answer', [], /^classification_agent: [\s\S]*support_responder: Send a photo\.\n$/],
  ['the whole response', ['--json'], /^\{.*"run_id":.*"Send a photo\.".*\}\n$/],
])('after a service was killed and restarted in time, the output is %s', async (_name, flags, expected) => {
  const { url, kill, exited } = await service();
  const called = silentResponder();
  const waiting = chat(url, '--message', 'My pedal broke.', ...flags);
  await called;
  provider.script = classifying('Send a photo.');
  kill('SIGKILL');
  await exited;
  await service(new URL(url).port);
  const { out, code } = await waiting.ended;
  expect(code).toBe(0);
  expect(out).toMatch(expected);
});

test('if the service does not restart, the error names the run and its thread', async () => {
  const { url, kill, exited } = await service();
  const called = silentResponder();
  const waiting = chat(url, '--thread', 'lost', '--message', 'My pedal broke.');
  await called;
  const { runs } = (await (await fetch(`${url}/api/v1/threads/lost/runs`)).json()) as {
    runs: { run_id: string }[];
  };
  kill('SIGKILL');
  await exited;
  const { out, errors, code } = await waiting.ended;
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(errors).toContain('a new thread: lost\n');
  expect(errors).toContain('the service does not answer; retrying, press Ctrl-C to stop\n');
  expect(errors).toEndWith(
    `The service at ${url} does not answer: run ${runs[0]?.run_id} of thread lost; ` +
      '"skein threads show lost" shows its outcome\n',
  );
});

test('Ctrl-C cancels the turn', async () => {
  const { url } = await service();
  const called = silentResponder();
  const stopped = chat(url, '--thread', 'stopped', '--message', 'My pedal broke.');
  await called;
  stopped.kill('SIGINT');
  expect(await stopped.ended).toMatchObject({ out: '', code: 130 });
  const runs = await fetch(`${url}/api/v1/runs?limit=1`);
  expect(await runs.json()).toMatchObject({ runs: [{ thread_id: 'stopped', status: 'cancelled' }] });
});

test('a failed turn shows the error of the service', async () => {
  const { url } = await service();
  provider.script = classifying(() => new Response('{}', { status: 400 }));
  const { out, errors, code } = await chat(url, '--message', 'My pedal broke.', '--json').ended;
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(errors).toContain('\nThe language model call failed');
});
