/** `skein chat` with graphs that were not made with workflow(): inputs, tools, several questions, and breakpoints. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOrderGraph } from '../support/order-graph.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { CTRL_D, type Terminal, terminal } from '../support/terminal.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-chat-graphs-'));
let service: ServiceProcess;
let open: Terminal[] = [];
beforeAll(async () => {
  await writeOrderGraph(folder);
  service = await spawnService(folder);
});
afterEach(async () => {
  for (const each of open) each.close();
  await Promise.all(open.map(({ exited }) => exited));
  open = [];
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.exited;
  rmSync(folder, { recursive: true });
});

function chat(...args: string[]): Terminal {
  const opened = terminal(['chat', ...args, '--url', service.url], folder);
  open.push(opened);
  return opened;
}

/** Runs the command with a single message, and returns its complete output. */
async function say(thread: string, message: string) {
  const child = spawnCommand(
    ['chat', '--thread', thread, '--message', message, '--url', service.url],
    folder,
  );
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

test('a graph without a prompt asks for its fields, and asks again after an invalid value', async () => {
  const asked = chat('order', '--thread', 'fields');
  await asked.sees('What is ordered\n');
  await asked.sees('item (text)> ');
  asked.type('/help\r');
  await asked.sees('/new          starts a new thread');
  await asked.sees('item (text)> ');
  asked.type('saddle\r');
  await asked.sees('count (integer, default 1)> ');
  asked.type('two\r');
  await asked.sees('Expected an integer');
  await asked.sees('count (integer, default 1)> ');
  asked.type('2\r');
  await asked.sees('colour (red | blue)> ');
  asked.type('\r');
  await asked.sees('colour is required');
  asked.type('red\r');
  await asked.sees('notes (list as JSON, optional)> ');
  asked.type('[oops\r');
  await asked.sees('Expected a list as JSON, got invalid JSON');
  asked.type('["soon"]\r');

  await asked.sees('✓ price {"item":"saddle"} → 40');
  await asked.sees('packer: {"packed":2}');
  await asked.sees('courier:\n');
  await asked.sees('answer 1 of 2> ');
  asked.type('"by bike"\r');
  await asked.sees('customer:\n');
  await asked.sees('answer 2 of 2> ');
  asked.type('yes, please\r');
  await asked.sees('2 red saddle for 80, by bike, yes, please, soon');
  await asked.sees('item (text)> ');
  asked.type('\r');
  expect(await asked.exited).toBe(0);
});

test('questions that were left unanswered are asked again', async () => {
  const asked = chat('order', '--thread', 'partly');
  for (const words of ['bell', '', 'blue', '']) {
    await asked.sees(')> ');
    asked.type(`${words}\r`);
  }
  await asked.sees('answer 1 of 2> ');
  asked.type('\r');
  await asked.sees('answer 2 of 2> ');
  asked.type('no\r');
  await asked.sees('Who delivers?');
  await asked.sees('answer> ');
  asked.type('\r');
  await asked.sees('The thread still waits');
  asked.type('/quit\r');
  expect(await asked.exited).toBe(0);
});

test('another workflow in the conversation asks for its own input', async () => {
  const asked = chat('stops');
  await asked.sees('you> ');
  asked.type('/flow order\r');
  await asked.sees('item (text)> ');
  asked.type('/flow stops\r');
  await asked.sees('you> ');
});

test('a breakpoint shows its node, and Enter continues', async () => {
  const asked = chat('stops', '--thread', 'stopped');
  await asked.sees('you> ');
  asked.type('Hello\r');
  await asked.sees('Stopped before second. Press Enter to continue; any other input leaves it stopped.');
  await asked.sees('continue> ');
  asked.type('later\r');
  await asked.sees('The thread still waits');
  asked.type('/thread stopped\r');
  await asked.sees('continue> ');
  asked.type('\r');
  await asked.sees('second was here');
  await asked.sees('you> ');
  asked.type(CTRL_D);
  expect(await asked.exited).toBe(0);
});

test('a single message answers several questions by their ids, and an empty one continues', async () => {
  const child = chat('order', '--thread', 'script');
  for (const words of ['bell', '', 'blue', '']) {
    await child.sees(')> ');
    child.type(`${words}\r`);
  }
  await child.sees('answer 1 of 2> ');
  child.close();
  const vague = await say('script', 'yes');
  expect(vague.code).toBe(1);
  expect(vague.output).toContain('A single message must be JSON with these ids: {"ID": ANSWER}');
  const ids = Array.from(vague.output.matchAll(/^(?:courier|customer) \((\S+)\):$/gm), ([, id]) => id);
  expect(ids).toHaveLength(2);
  const answered = await say('script', JSON.stringify(Object.fromEntries(ids.map((id) => [id, 'ok']))));
  expect(answered).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 blue bell for 15, ok, ok'),
  });

  const begun = chat('stops', '--thread', 'script-stop');
  await begun.sees('you> ');
  begun.type('Hello\r');
  await begun.sees('continue> ');
  begun.close();
  const refused = await say('script-stop', 'go');
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Stopped before second.') });
});
