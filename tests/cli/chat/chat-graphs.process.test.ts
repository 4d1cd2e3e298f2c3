/** `skein chat` with graphs that were not made with workflow(): inputs, tools, several questions, and breakpoints. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOrderGraph } from '../../support/order-graph.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../../support/process.ts';
import { CTRL_D, type Terminal, terminal } from '../../support/terminal.ts';

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
  const session = chat('order', '--thread', 'fields');
  await session.sees('What is ordered\n');
  await session.sees('item (text)> ');
  session.type('/help\r');
  await session.sees('/new          starts a new thread');
  await session.sees('item (text)> ');
  session.type('saddle\r');
  await session.sees('count (integer, default 1)> ');
  session.type('two\r');
  await session.sees('Expected an integer');
  await session.sees('count (integer, default 1)> ');
  session.type('2\r');
  await session.sees('colour (red | blue)> ');
  session.type('\r');
  await session.sees('colour is required');
  session.type('red\r');
  await session.sees('notes (list as JSON, optional)> ');
  session.type('[oops\r');
  await session.sees('Expected a list as JSON, got invalid JSON');
  session.type('["soon"]\r');

  await session.sees('✓ price {"item":"saddle"} → 40');
  await session.sees('packer: {"packed":2}');
  await session.sees('courier:\n');
  await session.sees('answer 1 of 2> ');
  session.type('"by bike"\r');
  await session.sees('customer:\n');
  await session.sees('answer 2 of 2> ');
  session.type('yes, please\r');
  await session.sees('2 red saddle for 80, by bike, yes, please, soon');
  await session.sees('item (text)> ');
  session.type('\r');
  expect(await session.exited).toBe(0);
});

test('questions that were left unanswered are asked again', async () => {
  const session = chat('order', '--thread', 'partly');
  for (const words of ['bell', '', 'blue', '']) {
    await session.sees(')> ');
    session.type(`${words}\r`);
  }
  await session.sees('answer 1 of 2> ');
  session.type('\r');
  await session.sees('answer 2 of 2> ');
  session.type('no\r');
  await session.sees('Who delivers?');
  await session.sees('answer> ');
  session.type('\r');
  await session.sees('The thread still waits');
  session.type('/quit\r');
  expect(await session.exited).toBe(0);
});

test('another workflow in the conversation asks for its own input', async () => {
  const session = chat('stops');
  await session.sees('you> ');
  session.type('/flow order\r');
  await session.sees('item (text)> ');
  session.type('/flow stops\r');
  await session.sees('you> ');
});

test('a breakpoint shows its node, and Enter continues', async () => {
  const session = chat('stops', '--thread', 'stopped');
  await session.sees('you> ');
  session.type('Hello\r');
  await session.sees('Stopped before second. Press Enter to continue; any other input leaves it stopped.');
  await session.sees('continue> ');
  session.type('later\r');
  await session.sees('The thread still waits');
  session.type('/thread stopped\r');
  await session.sees('continue> ');
  session.type('\r');
  await session.sees('second was here');
  await session.sees('you> ');
  session.type(CTRL_D);
  expect(await session.exited).toBe(0);
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
