/** `skein chat` in a real terminal, with and without a running service. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnCommand, spawnService } from '../../support/process.ts';
import { chunk, classifying, eventStream, scriptedProvider } from '../../support/provider.ts';
import { providerEnv } from '../../support/service.ts';
import { CTRL_C, CTRL_D, type Terminal, terminal } from '../../support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-chat-'));
const provider = scriptedProvider(classifying('Send a photo.'));
let open: Terminal[] = [];
let running: ServiceProcess | undefined;
afterEach(async () => {
  for (const each of open) each.close();
  await Promise.all(open.map(({ exited }) => exited));
  open = [];
});
afterAll(async () => {
  await stopped();
  await provider.close();
  rmSync(folder, { recursive: true });
});

function chat(...args: string[]): Terminal {
  const opened = terminal(['chat', ...args], folder, providerEnv(provider.url));
  open.push(opened);
  return opened;
}

/** The service that an earlier test has started, if any. */
async function service(): Promise<ServiceProcess> {
  running ??= await spawnService(folder, providerEnv(provider.url));
  return running;
}

async function stopped(): Promise<void> {
  running?.kill('SIGKILL');
  await running?.exited;
  running = undefined;
}

test('a conversation has a memory, shows what its agents do, and can be continued by its thread', async () => {
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

test('without a service, it opens the files itself while it runs', async () => {
  await stopped();
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

test('Ctrl-C cancels the turn but not the conversation; a second Ctrl-C ends it', async () => {
  const { url } = await service();
  provider.script = classifying(unfinished);
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

test('control sequences from the model are escaped', async () => {
  provider.script = classifying('\u001b]0;owned\u0007\u001b[2J\u202Edone');
  const { url } = await service();
  const safe = chat('--url', url);
  await safe.sees('you> ');
  safe.type('Hello.\r');
  await safe.sees('\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{202e}done');
  provider.script = classifying('Send a photo.');
}, 60_000);

test('a rejected turn is reported, and the conversation continues', async () => {
  const { url } = await service();
  const refused = chat('no-such-workflow', '--url', url);
  await refused.sees('you> ');
  refused.type('Hello.\r');
  await refused.sees('Invalid workflow type specified');
  await refused.sees('you> ');
  refused.type('/flow nope\r');
  await refused.sees('Unknown workflow nope. Workflows: ');
  await refused.sees('classification-agent');
  await refused.sees('you> ');
  refused.type('/flow Classification_Agent\r');
  await refused.sees('the next message goes to classification-agent');
  await refused.sees('you> ');
  refused.type('Hello.\r');
  await refused.sees('Send a photo.');
}, 60_000);

test('a single message prints only the answer, or the whole response', async () => {
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

/** Starts an answer and never finishes it. */
const unfinished = () =>
  eventStream(
    new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode(chunk({ id: 'c', model: 'm' }, HALF))),
    }),
  );
const HALF = { choices: [{ index: 0, delta: { content: 'Half an ans' } }] };

test('the death of the service during a turn is reported, and the conversation continues', async () => {
  const { url } = await service();
  provider.script = classifying(unfinished);
  const cut = chat('--url', url, '--thread', 'bob');
  await cut.sees('you> ');
  cut.type('My pedal broke.\r');
  await cut.sees('Half an ans');
  await stopped();
  await cut.sees('\nthe service does not answer; retrying', 60_000);
  await cut.sees('\nThe stream of run ', 120_000);
  await cut.sees('you> ');
  cut.type('Are you there?\r');
  await cut.sees('The service cannot be reached', 60_000);
  await cut.sees('you> ');
  cut.type('/thread eve\r');
  await cut.sees(`The service at ${url} does not answer`);
  await cut.sees('you> ');
  cut.type(CTRL_D);
  expect(await cut.exited).toBe(0);
  provider.script = classifying('Send a photo.');
}, 180_000);

test('an interrupted thread asks again, with its own workflow', async () => {
  await stopped();
  running = await spawnService(folder, {
    SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true',
    SERVICE_WORKFLOWS__SQL_MANIPULATION_AGENT__REQUIRE_APPROVAL: 'true',
  });
  const { url } = running;
  const first = chat('sql-manipulation-agent', '--url', url, '--thread', 'sql');
  await first.sees('a new thread: sql');
  await first.sees('you> ');
  first.type('How many stores are there?\r');
  await first.sees('Run this?', 60_000);
  await first.sees('answer> ');
  first.type('\r');
  await first.sees('The thread still waits');
  await first.sees('you> ');
  first.type('\r');
  expect(await first.exited).toBe(0);

  const second = chat('--url', url, '--thread', 'sql');
  await second.sees('sql: "How many stores are there?", ');
  await second.sees('SELECT count(*)');
  await second.sees('answer> ');
  second.type('y\r');
  await second.sees('12', 60_000);
  await second.sees('you> ');
  second.type('And how many products?\r');
  await second.sees('Run this?', 60_000);
  second.type(CTRL_D);
  expect(await second.exited).toBe(0);
  await stopped();
}, 180_000);

test('a service that restarts in time continues the turn', async () => {
  const { url } = await service();
  provider.script = classifying(unfinished);
  const waiting = chat('--url', url, '--thread', 'eve');
  await waiting.sees('you> ');
  waiting.type('My pedal broke.\r');
  await waiting.sees('Half an ans');
  provider.script = classifying('Send a photo.');
  await stopped();
  const port = new URL(url).port;
  running = await spawnService(folder, providerEnv(provider.url), { port });
  await waiting.sees('▸ support_responder again (attempt 2)', 60_000);
  await waiting.sees('Send a photo.');
  await waiting.sees('you> ');
}, 180_000);
