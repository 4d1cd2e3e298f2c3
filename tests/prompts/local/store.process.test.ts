/** The local prompt store: versions, and no effect on files outside of it. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
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
import { localSource } from '../../../prompts/local/source.ts';
import { localStore } from '../../../prompts/local/store.ts';
import type { PromptStore } from '../../../prompts/store.ts';
import { promptStoreContract, shipped } from '../../contracts/prompts.ts';

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

promptStoreContract(
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-store-'));
    const path = join(folder, 'prompts');
    return {
      store: localStore({ path, shipped }),
      source: localSource(path, shipped),
      async putByHand({ revision, file }, text) {
        mkdirSync(join(path, revision), { recursive: true });
        writeFileSync(join(path, revision, file), text);
      },
      async damage({ revision, file }, version, text) {
        writeFileSync(join(path, '.history', revision, file, `${version}.json`), text);
      },
      isEmpty: async () => !existsSync(path),
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
  { own: 'local', many: 200 },
);

const write = (text: string, name = NAME) => store.write(name, { bytes: Buffer.from(text), author: 'ana' });
const text = async (name = NAME) => new TextDecoder().decode((await store.read(name)).bytes);

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
    detail: "prompt file 'a.md' of revision 'linked': its name is taken by something that is not a folder",
  });
  expect(readFileSync(secret, 'utf8') + readFileSync(join(outer, 'elsewhere', 'a.md'), 'utf8')).toBe(
    'secretsecret',
  );
});

test('a folder that is replaced by a link during a write is not followed', async () => {
  mkdirSync(join(outer, 'elsewhere'));
  writeFileSync(join(outer, 'elsewhere', 'a.md'), 'secret');
  await write('one');
  let going = true;
  const swapping = (async () => {
    const [folder, away] = [join(path, 'v1'), join(path, 'away')];
    while (going) {
      renameSync(folder, away);
      // A writer may have created the folder again in between.
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
}, 60_000);

function linkTo(target: string, at: string) {
  try {
    symlinkSync(target, at);
  } catch (error) {
    expect(error).toMatchObject({ code: 'EEXIST' });
  }
}

test('a process that is killed during a write leaves the old version or the new one', async () => {
  for (let cycle = 0; cycle < 20; cycle++) {
    const writer = Bun.spawn([process.execPath, join(import.meta.dir, 'writer.ts'), path, '60000'], {
      stdin: 'pipe',
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

test('a damaged history entry is skipped, and its number is not reused', async () => {
  for (const each of ['one', 'two', 'three']) await write(each);
  for (const version of [1, 3])
    writeFileSync(join(path, '.history/v1/a.md', `${version}.json`), '{"content":');
  // It is unknown whether the file still has the content of version 3, so the file counts as version 4.
  expect((await store.history(NAME)).map(({ version, author }) => [version, author])).toEqual([
    [4, null],
    [2, 'ana'],
  ]);
  expect(store.read(NAME, 3)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
  expect(await write('five')).toMatchObject({ version: 5 });
  const texts = await Promise.all([5, 4, 2].map(async (version) => (await store.read(NAME, version)).bytes));
  expect(texts.map((bytes) => new TextDecoder().decode(bytes))).toEqual(['five', 'three', 'two']);
});

test('an error of the storage names the file and shows no path', async () => {
  writeFileSync(join(outer, 'file'), 'a file in its place');
  const failing = localStore({ path: join(outer, 'file', 'prompts'), shipped });
  expect(failing.write(NAME, { bytes: Buffer.from('x'), author: 'ana' })).rejects.toMatchObject({
    code: 'PROMPT_STORAGE_FAILED',
    detail: expect.stringMatching(/^prompt file 'a.md' of revision 'v1': E[A-Z]+$/),
  });
});
