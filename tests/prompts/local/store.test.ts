/** The local prompt store: versions, and what it must never do to the files around it. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localStore } from '../../../prompts/local/store.ts';
import type { PromptStore } from '../../../prompts/store.ts';

const SHIPPED: Record<string, string> = { 'w.a.jinja': 'shipped', 'w.b.jinja': 'other' };
const shipped = {
  async read(filename: string) {
    const text = SHIPPED[filename];
    const used = { filename, revision_id: 'default', version: 0, sha256: '' };
    return text === undefined ? undefined : { text, used };
  },
  list: async () => Object.keys(SHIPPED),
};
const NAME = { revision: 'v1', file: 'a.md' };

let outer: string;
let path: string;
let store: PromptStore;

beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'skein-store-'));
  path = join(outer, 'prompts');
  store = localStore({ path, shipped });
});
afterEach(() => rmSync(outer, { recursive: true }));

const write = (text: string, name = NAME, ifMatch?: string) =>
  store.write(name, { bytes: Buffer.from(text), author: 'ana', ifMatch });
const text = async (name = NAME, version?: number) =>
  new TextDecoder().decode((await store.read(name, version)).bytes);

test('what is written is read back, with its version, author, size and time', async () => {
  expect(await write('Größe\r\n')).toMatchObject({ version: 1, author: 'ana', size: 9 });
  expect(await write('two')).toMatchObject({ version: 2, size: 3 });
  expect([await text(), await text(NAME, 1)]).toEqual(['two', 'Größe\r\n']);
  expect((await store.history(NAME)).map(({ version, author }) => [version, author])).toEqual([
    [2, 'ana'],
    [1, 'ana'],
  ]);
  expect(readFileSync(join(path, 'v1', 'a.md'), 'utf8')).toBe('two');
  expect(readdirSync(join(path, 'v1'))).toEqual(['a.md']);
});

test('fifty versions are kept', async () => {
  for (let n = 1; n <= 53; n++) await write(`text ${n}`);
  const versions = (await store.history(NAME)).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: 50 }, (_, n) => 53 - n));
  expect(store.read(NAME, 3)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
});

test('the shipped file is version 0 of revision default, and what the folder has lies over it', async () => {
  const name = { revision: 'default', file: 'w.a.jinja' };
  expect([await text(name), (await store.read(name)).version]).toEqual(['shipped', 0]);
  await write('own', name);
  await write('new', { revision: 'default', file: 'z.md' });
  expect([await text(name), await text(name, 0)]).toEqual(['own', 'shipped']);
  expect(await store.list('default')).toEqual(['w.a.jinja', 'w.b.jinja', 'z.md']);
  expect((await store.history(name)).map(({ version }) => version)).toEqual([1, 0]);
  expect(store.read({ ...name, revision: 'v1' })).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
});

test('revisions are the folders that hold prompt files', async () => {
  await write('x');
  mkdirSync(join(path, 'empty'));
  expect(await store.revisions()).toEqual([
    { revision_id: 'default', files: 2, source: 'shipped' },
    { revision_id: 'v1', files: 1, source: 'local' },
  ]);
  expect(store.list('empty')).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
});

test('a file that was put there by hand is a version of its own', async () => {
  await write('one');
  writeFileSync(join(path, 'v1', 'a.md'), 'by hand');
  expect(await store.read(NAME)).toMatchObject({ version: 2, author: null, size: 7 });
  expect(await write('three')).toMatchObject({ version: 3 });
  expect(await text(NAME, 2)).toBe('by hand');
});

test('a write that names an older version is refused', async () => {
  await write('one');
  const { etag } = await store.read(NAME);
  await write('two', NAME, etag);
  await write('one');
  expect(write('lost', NAME, etag)).rejects.toMatchObject({ code: 'PROMPT_CONFLICT' });
  expect(write('new', { ...NAME, file: 'none.md' }, '*')).rejects.toMatchObject({ code: 'PROMPT_CONFLICT' });
  expect(await text()).toBe('one');
});

test('of two writers that saw the same version one wins', async () => {
  await write('one');
  const { etag } = await store.read(NAME);
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((each) => write(each, NAME, etag)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

const BAD = ['', '.', '..', '../a.md', 'a/../../a.md', '..\\a.md', 'a.md\0', '\0', 'a..md', '.a.md', 'a.exe'];
for (const file of [...BAD, 'ａ.md', `${'a'.repeat(129)}.md`, '%2e%2e%2fa.md', '/etc/passwd', 'a.md/']) {
  test(`no file can be named ${JSON.stringify(file).slice(0, 30)}`, async () => {
    for (const name of [
      { revision: 'v1', file },
      { revision: file.replace(/^$/, '..'), file: 'a..md' },
    ]) {
      expect(store.read(name)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
      expect(store.history(name)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
      expect(write('x', name)).rejects.toMatchObject({ code: 'PROMPT_INVALID' });
    }
    expect(existsSync(path)).toBe(false);
  });
}

test('a file of more than 64 KiB is refused', async () => {
  expect(write('x'.repeat(65_537))).rejects.toMatchObject({ code: 'PROMPT_INVALID' });
  expect(await write('x'.repeat(65_536))).toMatchObject({ size: 65_536 });
});

test('links, folders and devices are not followed, read, listed or written', async () => {
  const secret = join(outer, 'secret.md');
  writeFileSync(secret, 'secret');
  mkdirSync(join(outer, 'elsewhere'));
  writeFileSync(join(outer, 'elsewhere', 'a.md'), 'secret');
  await write('one');
  symlinkSync(secret, join(path, 'v1', 'link.md'));
  symlinkSync('/dev/zero', join(path, 'v1', 'zero.md'));
  symlinkSync(join(outer, 'elsewhere'), join(path, 'linked'));
  mkdirSync(join(path, 'v1', 'folder.md'));
  Bun.spawnSync(['mkfifo', join(path, 'v1', 'pipe.md')]);
  expect(await store.list('v1')).toEqual(['a.md']);
  expect((await store.revisions()).map(({ revision_id }) => revision_id)).toEqual(['default', 'v1']);
  for (const file of ['link.md', 'zero.md', 'folder.md', 'pipe.md']) {
    expect(store.read({ revision: 'v1', file })).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
    expect(write('x', { revision: 'v1', file })).rejects.toMatchObject({ code: 'PROMPT_STORAGE_FAILED' });
  }
  expect(text({ revision: 'linked', file: 'a.md' })).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
  expect(write('x', { revision: 'linked', file: 'a.md' })).rejects.toMatchObject({
    code: 'PROMPT_STORAGE_FAILED',
    detail: "prompt file 'a.md' of revision 'linked': something that is not a folder has its name",
  });
  expect(readFileSync(secret, 'utf8') + readFileSync(join(outer, 'elsewhere', 'a.md'), 'utf8')).toBe(
    'secretsecret',
  );
});

test('a folder that is swapped for a link while it is written leads nowhere', async () => {
  mkdirSync(join(outer, 'elsewhere'));
  writeFileSync(join(outer, 'elsewhere', 'a.md'), 'secret');
  await write('one');
  let going = true;
  const swapping = (async () => {
    const [folder, away] = [join(path, 'v1'), join(path, 'away')];
    while (going) {
      renameSync(folder, away);
      // A writer may have made the folder anew in between.
      if (!existsSync(folder)) linkTo(join(outer, 'elsewhere'), folder);
      await Bun.sleep(0);
      rmSync(folder, { recursive: true, force: true });
      renameSync(away, folder);
      await Bun.sleep(0);
    }
  })();
  const seen = new Set<string>();
  for (let n = 0; n < 100; n++) {
    await write(`text ${n}`).catch(() => {});
    seen.add(await text().catch(() => 'refused'));
  }
  going = false;
  await swapping;
  expect(seen.has('secret')).toBe(false);
  expect(readdirSync(join(outer, 'elsewhere'))).toEqual(['a.md']);
  expect(readFileSync(join(outer, 'elsewhere', 'a.md'), 'utf8')).toBe('secret');
});

function linkTo(target: string, at: string) {
  try {
    symlinkSync(target, at);
  } catch (error) {
    expect(error).toMatchObject({ code: 'EEXIST' });
  }
}

test('200 writers and readers at once: each read is one whole version', async () => {
  const texts = Array.from({ length: 200 }, (_, n) => `${n}:`.padEnd(20_000, String(n % 10)));
  await write(texts[0] ?? '');
  const reads = texts.map(async (_, n) => {
    await Bun.sleep(n);
    return text();
  });
  await Promise.all(texts.map((each) => write(each)));
  for (const read of await Promise.all(reads)) expect(texts.includes(read)).toBe(true);
  expect(await store.read(NAME)).toMatchObject({ version: 201 });
}, 30_000);

test('a process that is killed while it writes leaves the old version or the new one', async () => {
  for (let cycle = 0; cycle < 20; cycle++) {
    const writer = Bun.spawn([process.execPath, join(import.meta.dir, 'writer.ts'), path, '60000'], {
      stdout: 'pipe',
    });
    await writer.stdout.getReader().read();
    await Bun.sleep(Math.random() * 30);
    writer.kill('SIGKILL');
    await writer.exited;
    const found = await text();
    expect(found === found.slice(0, 1).repeat(60_000)).toBe(true);
    for (const { size } of await store.history(NAME)) expect(size).toBe(60_000);
  }
}, 60_000);

test('a reader beside a writer never sees a version that nobody wrote', async () => {
  await write('0');
  let writing = true;
  const writer = (async () => {
    for (let n = 1; n < 40; n++) await write(String(n));
    writing = false;
  })();
  while (writing) {
    const { version, bytes } = await store.read(NAME);
    expect(version).toBe(Number(new TextDecoder().decode(bytes)) + 1);
  }
  await writer;
});

test('a history that cannot be read is said without a word of the library', async () => {
  await write('one');
  writeFileSync(join(path, '.history/v1/a.md/1.json'), 'broken');
  expect(store.read(NAME)).rejects.toMatchObject({
    code: 'PROMPT_STORAGE_FAILED',
    detail: "prompt file 'a.md' of revision 'v1': a version in its history cannot be read",
  });
});

test('a storage that fails says which file and no path', async () => {
  linkSync(import.meta.path, join(outer, 'file'));
  const failing = localStore({ path: join(outer, 'file', 'prompts'), shipped });
  expect(failing.write(NAME, { bytes: Buffer.from('x'), author: 'ana' })).rejects.toMatchObject({
    code: 'PROMPT_STORAGE_FAILED',
    detail: expect.stringMatching(/^prompt file 'a.md' of revision 'v1': E[A-Z]+$/),
  });
});
