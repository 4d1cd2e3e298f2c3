/** `skein chat` in a real terminal, with a service that runs and without one. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { chunk, classifying, eventStream, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { CTRL_C, CTRL_D, type Terminal, terminal } from '../support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-chat-'));
const provider = scriptedProvider(classifying('Send a photo.'));
let open: (Terminal | ServiceProcess)[] = [];
afterEach(async () => {
  for (const each of open) 'close' in each ? each.close() : each.kill('SIGKILL');
  await Promise.all(open.map(({ exited }) => exited));
  open = [];
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

function chat(...args: string[]): Terminal {
  const opened = terminal(['chat', ...args], folder, providerEnv(provider.url));
  open.push(opened);
  return opened;
}

async function service(): Promise<ServiceProcess> {
  const started = await spawnService(folder, providerEnv(provider.url));
  open.push(started);
  return started;
}

test('a conversation remembers, says what its agents do, and is there again by its thread', async () => {
  const { url } = await service();
  const first = chat('--url', url, '--thread', 'ana');
  await first.sees('you> ');
  first.type('My pedal broke.\r');
  await first.sees('▸ support_responder');
  await first.sees('Send a photo.');
  await first.sees('category support');
  await first.sees('you> ');
  first.type('/thread\r');
  await first.sees('ana\n');
  first.type(CTRL_D);
  expect(await first.exited).toBe(0);

  const second = chat('--url', url, '--thread', 'ana');
  await second.sees('you> ');
  second.type('And now?\r');
  await second.sees('tokens, test-model');
  const shown = provider.requests.at(-1)?.messages.map(({ content }) => content) ?? [];
  expect(shown).toContain('My pedal broke.');
  second.type('\r');
  expect(await second.exited).toBe(0);
}, 60_000);

test('without a service it opens the files itself, for as long as it takes', async () => {
  const alone = chat('--thread', 'alone');
  await alone.sees('so the files are opened here');
  await alone.sees('you> ');
  alone.type('Hello.\r');
  await alone.sees('Send a photo.');
  alone.type('/quit\r');
  expect(await alone.exited).toBe(0);
  const { url } = await service();
  const thread = await fetch(`${url}/api/v1/threads/alone`);
  expect(await thread.json()).toMatchObject({ message_count: 2, status: 'idle' });
}, 60_000);

test('Ctrl-C cancels the turn and not the conversation; a second one ends it', async () => {
  const { url } = await service();
  provider.script = classifying(() =>
    eventStream(
      new ReadableStream({
        start: (stream) =>
          stream.enqueue(
            new TextEncoder().encode(
              chunk({ id: 'c', model: 'm' }, { choices: [{ index: 0, delta: { content: 'Half an ans' } }] }),
            ),
          ),
      }),
    ),
  );
  const cancelled = chat('--url', url, '--thread', 'c');
  await cancelled.sees('you> ');
  cancelled.type('Hello.\r');
  await cancelled.sees('Half an ans');
  cancelled.type(CTRL_C);
  await cancelled.sees('cancelled');
  await cancelled.sees('you> ');
  const { runs } = (await (await fetch(`${url}/api/v1/threads/c/runs`)).json()) as {
    runs: { status: string }[];
  };
  expect(runs).toMatchObject([{ status: 'cancelled' }]);
  cancelled.type(CTRL_C);
  expect(await cancelled.exited).toBe(0);
  provider.script = classifying('Send a photo.');
}, 60_000);

test('what the model says does not act on the terminal', async () => {
  provider.script = classifying('\u001b]0;owned\u0007\u001b[2J\u202Edone');
  const { url } = await service();
  const safe = chat('--url', url);
  await safe.sees('you> ');
  safe.type('Hello.\r');
  await safe.sees('\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{202e}done');
  provider.script = classifying('Send a photo.');
}, 60_000);

test('a refusal is said, and the conversation goes on', async () => {
  const { url } = await service();
  const refused = chat('no-such-workflow', '--url', url);
  await refused.sees('you> ');
  refused.type('Hello.\r');
  await refused.sees('Invalid workflow type specified');
  await refused.sees('you> ');
  refused.type('/flow classification-agent\r');
  await refused.sees('you> ');
  refused.type('Hello.\r');
  await refused.sees('Send a photo.');
}, 60_000);

test('a single message prints the answer alone, or the whole response', async () => {
  const { url } = await service();
  const ask = async (...args: string[]) => {
    const child = spawnCommand(['chat', '--url', url, '--message', 'Hello.', ...args], folder);
    const out = (await Array.fromAsync(child.lines)).length > 0 ? child.output() : '';
    await child.errors;
    return { out, code: await child.exited };
  };
  const { out, code } = await ask();
  expect(code).toBe(0);
  expect(out).toContain('support_responder: Send a photo.');
  const json = (await ask('--json')).out.split('\n').find((line) => line.startsWith('{'));
  expect(JSON.parse(json ?? '')).toMatchObject({ workflow: 'classification-agent', interrupt: null });
}, 60_000);
