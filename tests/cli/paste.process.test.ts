/** Pasted text in `skein chat`: distinguished from typed keys, and one message even with several lines. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pasteReader } from '../../cli/terminal/paste.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { CTRL_C, CTRL_D, type Terminal, terminal } from '../support/terminal.ts';

const START = '\u001b[200~';
const END = '\u001b[201~';
const TURN_ON = '\u001b[?2004h';
const TURN_OFF = '\u001b[?2004l';

describe('a paste', () => {
  test('is one text between the keys around it, however the input is split', () => {
    const input = `ab${START}one\r\ntwo\rthree${END}\r\u001b[A`;
    const pieces = [{ typed: 'ab' }, { pasted: 'one\ntwo\nthree' }, { typed: '\r\u001b[A' }];
    expect(pasteReader()(input)).toEqual(pieces);
    // Every split except after the first escape, which would be a separate key.
    for (let at = 1; at < input.length; at++) {
      if (at === 3) continue;
      const read = pasteReader();
      const cut = [...read(input.slice(0, at)), ...read(input.slice(at))];
      const joined = cut.filter((each) => 'pasted' in each);
      expect(joined).toEqual([{ pasted: 'one\ntwo\nthree' }]);
      const typed = cut.map((each) => ('typed' in each ? each.typed : '')).join('');
      expect(typed).toBe('ab\r\u001b[A');
    }
  });

  test('loses control sequences', () => {
    expect(pasteReader()(`${START}a\u001b[2J\tb\u0003${END}`)).toEqual([{ pasted: 'a[2J\tb' }]);
  });

  test('does not begin with a single escape key', () => {
    expect(pasteReader()('\u001b')).toEqual([{ typed: '\u001b' }]);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'skein-paste-'));
const provider = scriptedProvider(classifying('Send a photo.'));
let service: ServiceProcess;
let open: Terminal[] = [];
beforeAll(async () => {
  service = await spawnService(folder, providerEnv(provider.url));
}, 60_000);
afterEach(async () => {
  for (const each of open) each.close();
  await Promise.all(open.map(({ exited }) => exited));
  open = [];
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.exited;
  await provider.close();
  rmSync(folder, { recursive: true });
});

async function chat(thread: string, env = {}): Promise<Terminal> {
  const opened = terminal(['chat', '--url', service.url, '--thread', thread], folder, env);
  open.push(opened);
  await opened.sees('you> ');
  return opened;
}

async function questions(thread: string): Promise<string[]> {
  const answer = await fetch(`${service.url}/api/v1/threads/${thread}/messages`);
  const { messages } = (await answer.json()) as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}

test('several pasted lines are one message, with the text typed around them', async () => {
  const pasting = await chat('several');
  pasting.type('Look: ');
  pasting.type(`${START}{\r  "a": 1\r}${END}`);
  await pasting.sees('  "a": 1\n}');
  pasting.type(' and this\r');
  await pasting.sees('tokens, test-model');
  const message = 'Look: {\n  "a": 1\n} and this';
  expect(await questions('several')).toEqual([message]);
  pasting.type('\u001b[A!\r');
  await pasting.sees('tokens, test-model');
  expect(await questions('several')).toEqual([message, `${message}!`]);
}, 60_000);

test('lines that are pasted while a turn is shown wait for the next question', async () => {
  const early = await chat('early');
  early.type(`Hello.\r${START}/one\rtwo${END}`);
  await early.sees('tokens, test-model');
  await early.sees('you> /one\ntwo');
  early.type('!\r');
  await early.sees('tokens, test-model');
  expect(await questions('early')).toEqual(['Hello.', '/one\ntwo!']);
}, 60_000);

test.each([
  ['Ctrl-D', CTRL_D, 0],
  ['Ctrl-C', CTRL_C, 0],
  ['/quit', '/quit\r', 0],
])(
  'the terminal is restored after %s',
  async (_name, keys, code) => {
    const ended = await chat('ended');
    expect(ended.raw()).toContain(TURN_ON);
    expect(ended.raw()).not.toContain(TURN_OFF);
    ended.type(keys);
    expect(await ended.exited).toBe(code);
    expect(ended.raw().lastIndexOf(TURN_OFF)).toBeGreaterThan(ended.raw().lastIndexOf(TURN_ON));
  },
  60_000,
);

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  'the terminal is restored after %s',
  async (signal) => {
    const ended = await chat('ended');
    ended.kill(signal);
    expect(await ended.exited).not.toBe(0);
    expect(ended.raw()).toContain(TURN_OFF);
  },
  60_000,
);

test('without bracketed paste, lines are sent one by one, and a dumb terminal is not asked for it', async () => {
  const plain = await chat('plain', { TERM: 'dumb' });
  expect(plain.raw()).not.toContain(TURN_ON);
  plain.type('one\rtwo\r');
  await plain.sees('tokens, test-model');
  await plain.sees('tokens, test-model');
  expect(await questions('plain')).toEqual(['one', 'two']);
}, 60_000);
