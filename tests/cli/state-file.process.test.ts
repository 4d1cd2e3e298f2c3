/** `validate` predicts, without creating files, whether `serve` can open its state file. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateFileCheck } from '../../cli/service/checks/state-file.ts';
import { openSqlite } from '../../state/sqlite/open.ts';
import { runCommand } from '../support/run-command.ts';

setDefaultTimeout(60_000);

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-state-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const RUBBISH = 'this is no database, and it is long enough for its header. '.repeat(20);

/** The existing files, and the state file's name in the test's folder or its path. */
type PathCase = [what: string, path: string, make?: () => void];

const GOOD: PathCase[] = [
  ['a file that is made', 'state.db'],
  ['folders that are made', 'a/b/c/state.db'],
  ['an empty file', 'state.db', () => writeFileSync(at('state.db'), '')],
  ['a link to a file that is made', 'link.db', () => symlinkSync(at('state.db'), at('link.db'))],
  [
    'a folder that is a link',
    'link/state.db',
    () => {
      mkdirSync(at('there'));
      symlinkSync(at('there'), at('link'));
    },
  ],
  ['a name with a query', 'a?mode=memory#%20.db'],
  ['the longest name', 'x'.repeat(242)],
];
const BAD: PathCase[] = [
  ['the file system of processes', '/proc/state.db'],
  ['a folder among processes', '/proc/skein/state.db'],
  ['the file system of devices', '/sys/skein/state.db'],
  ['a device', '/dev/full'],
  ['a folder below a device', '/dev/null/state.db'],
  ['a folder', 'state.db', () => mkdirSync(at('state.db'))],
  ['a file in place of its folder', 'file/state.db', () => writeFileSync(at('file'), '')],
  ['a file in place of a folder above', 'file/a/b/state.db', () => writeFileSync(at('file'), '')],
  ['a name that leaves no room for the files beside it', 'x'.repeat(243)],
  ['a name that is too long', 'x'.repeat(300)],
  ['a folder with a name that is too long', `a/${'x'.repeat(300)}/state.db`],
  ['a path that is too long', `${'x/'.repeat(2_200)}state.db`],
  ['a name that ends with a space', 'folder/ ', () => mkdirSync(at('folder'))],
  ['a link that leads nowhere', 'link.db', () => symlinkSync(at('gone/state.db'), at('link.db'))],
  ['a folder that is a link that leads nowhere', 'link/state.db', () => symlinkSync(at('gone'), at('link'))],
  ['a link to itself', 'link/state.db', () => symlinkSync(at('link'), at('link'))],
  ['a folder in place of its lock', 'state.db', () => mkdirSync(at('state.db-lock'))],
  ['rubbish in place of its lock', 'state.db', () => writeFileSync(at('state.db-lock'), RUBBISH)],
  ['a folder in place of its log', 'state.db', () => mkdirSync(at('state.db-wal'))],
  ['rubbish', 'state.db', () => writeFileSync(at('state.db'), RUBBISH)],
];

function found(name: string, make?: () => void) {
  make?.();
  const path = name.startsWith('/') ? name : at(name);
  const before = readdirSync(folder);
  const check = stateFileCheck(path, false);
  expect(readdirSync(folder)).toEqual(before);
  return { path, check, open: () => openSqlite({ path, checkpointsPerThread: 1 }) };
}

test.each(GOOD)('%s is valid, and can be opened', async (_, name, make) => {
  const { check, open } = found(name, make);
  expect(check.state).toBe('ok');
  await open().close();
});

test.each(BAD)('%s is an error with a reason and advice, and cannot be opened', (_, name, make) => {
  const { path, check, open } = found(name, make);
  expect(check).toEqual({
    name: 'state file',
    state: 'failed',
    found: expect.stringMatching(/: \S/),
    todo: expect.stringContaining('chat_history.database_path'),
  });
  expect(check.found).toStartWith(path);
  expect(open).toThrow("Validation error in field 'chat_history.database_path'");
});

test("validate and serve both reject a folder that isn't writable", async () => {
  writeFileSync(at('config.yml'), 'chat_history: {database_path: /proc/skein/state.db}\n');
  const env = { WEB_PORT: '0' };
  const { code, out } = await runCommand(['validate', '--json'], folder, env);
  const { checks } = JSON.parse(out);
  expect(code).toBe(1);
  expect(checks.filter(({ state }: { state: string }) => state === 'failed')).toEqual([
    {
      name: 'state file',
      state: 'failed',
      found: expect.stringMatching(/^\/proc\/skein\/state\.db: \S/),
      todo: 'make it writable, or change chat_history.database_path',
    },
  ]);
  expect((await runCommand(['serve'], folder, env)).code).toBe(2);
});
