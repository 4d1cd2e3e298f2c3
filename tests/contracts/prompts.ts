/** The contract of `PromptStore`. A back end's test calls it with a function that opens an empty store. */
import { expect, test } from 'bun:test';
import type { PromptName } from '../../prompts/names.ts';
import type { PromptSource } from '../../prompts/prompts.ts';
import type { PromptStore } from '../../prompts/store.ts';

export interface OpenedPrompts {
  store: PromptStore;
  /** Prompts as model calls read them. */
  source: PromptSource;
  /** Writes a file without the store. */
  putByHand(name: PromptName, text: string): Promise<void>;
  /** Overwrites a version in the history. */
  damage(name: PromptName, version: number, text: string): Promise<void>;
  /** Whether any file exists. */
  isEmpty(): Promise<boolean>;
  close(): Promise<void>;
}

const SHIPPED: Record<string, string> = { 'w.a.jinja': 'shipped', 'w.b.jinja': 'other' };

/** The prompt files of the package, for tests that open a store. */
export const shipped: PromptSource = {
  async read({ file, earlier = '' }) {
    const filename = file in SHIPPED ? file : earlier;
    const text = SHIPPED[filename];
    const used = { filename, revision_id: 'default', version: 0, sha256: '' };
    return text === undefined ? undefined : { text, used };
  },
  list: async () => Object.keys(SHIPPED),
};

const NAME = { revision: 'v1', file: 'a.md' };
const BAD_NAMES = [
  ...['', '.', '..', '../a.md', 'a/../../a.md', '..\\a.md', 'a.md\0', '\0', 'a..md', '.a.md', 'a.exe'],
  ...['ａ.md', `${'a'.repeat(129)}.md`, '%2e%2e%2fa.md', '/etc/passwd', 'a.md/', 'a~.md'],
];

/** `own`: the back end's name for its files; `many`: the number of concurrent writers in tests. */
export function promptStoreContract(
  open: () => Promise<OpenedPrompts>,
  { own, many }: { own: 'local' | 'azure' | 'postgresql'; many: number },
): void {
  function contract(name: string, use: (opened: Shortcuts) => Promise<void>, milliseconds = 60_000): void {
    const run = async () => {
      const opened = await open();
      try {
        await use(withShortcuts(opened));
      } finally {
        await opened.close();
      }
    };
    test(name, run, milliseconds);
  }

  contract('reads what was written, with version, author, size and time', async ({ store, write, text }) => {
    const by = { bytes: Buffer.from('Größe\r\n'), author: 'user:Ünal %41' };
    expect(await store.write(NAME, by)).toMatchObject({ version: 1, author: 'user:Ünal %41', size: 9 });
    expect(await write('two')).toMatchObject({ version: 2, size: 3 });
    expect([await text(), await text(NAME, 1)]).toEqual(['two', 'Größe\r\n']);
    expect(await store.history(NAME)).toEqual([
      { version: 2, author: 'ana', size: 3, created_at: expect.stringMatching(/^\d{4}-.*Z$/) },
      { version: 1, author: 'user:Ünal %41', size: 9, created_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(await write('')).toMatchObject({ version: 3, size: 0 });
    expect(await text()).toBe('');
  });

  for (const rubbish of ['', '{', 'null', '{}', '{"content": 5}', 'x'.repeat(200_000)])
    contract(
      `a damaged newest history entry doesn't prevent reads and writes: ${rubbish.slice(0, 14)}`,
      async ({ store, source, write, text, damage }) => {
        for (const each of ['one', 'two', 'three']) await write(each);
        await damage(NAME, 3, rubbish);
        expect([await text(), (await source.read(NAME, NAME.revision))?.text]).toEqual(['three', 'three']);
        const { etag, version } = await store.read(NAME);
        expect(await store.history(NAME)).toContainEqual(
          expect.objectContaining({ version, size: 'three'.length }),
        );
        expect(await write('four', NAME, etag)).toMatchObject({ author: 'ana' });
        expect(await text()).toBe('four');
        expect([await text(NAME, 1), await text(NAME, 2)]).toEqual(['one', 'two']);
        const numbers = (await store.history(NAME)).map((each) => each.version);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
      },
    );

  contract('fifty versions are kept', async ({ store, write, versions }) => {
    for (let n = 1; n <= 53; n++) await write(`text ${n}`);
    expect(await versions()).toEqual(Array.from({ length: 50 }, (_, n) => 53 - n));
    expect(await refusal(store.read(NAME, 3))).toBe('PROMPT_NOT_FOUND');
    expect(await refusal(store.read(NAME, 4))).toBe('none');
  });

  contract('the shipped file is version 0 of default, and a stored file overrides it', async (opened) => {
    const { store, write, text, versions } = opened;
    const name = { revision: 'default', file: 'w.a.jinja' };
    expect([await text(name), (await store.read(name)).version]).toEqual(['shipped', 0]);
    await write('own', name);
    await write('new', { revision: 'default', file: 'z.md' });
    expect([await text(name), await text(name, 0)]).toEqual(['own', 'shipped']);
    expect(await store.list('default')).toEqual(['w.a.jinja', 'w.b.jinja', 'z.md']);
    expect(await versions(name)).toEqual([1, 0]);
    expect(await refusal(store.read({ ...name, revision: 'v1' }))).toBe('PROMPT_NOT_FOUND');
    expect((await store.revisions())[0]).toEqual({
      revision_id: 'default',
      files: 3,
      source: `shipped+${own}`,
    });
  });

  contract('lists revisions, even if they only differ by a trailing dot', async ({ store, write, text }) => {
    await write('x');
    await write('y', { ...NAME, revision: 'v1.' });
    await write('z', { ...NAME, revision: 'V1' });
    expect(await store.revisions()).toEqual([
      { revision_id: 'V1', files: 1, source: own },
      { revision_id: 'default', files: 2, source: 'shipped' },
      { revision_id: 'v1', files: 1, source: own },
      { revision_id: 'v1.', files: 1, source: own },
    ]);
    expect([await text(), await text({ ...NAME, revision: 'v1.' })]).toEqual(['x', 'y']);
    expect(await store.list('v1.')).toEqual(['a.md']);
    expect(await refusal(store.list('v'))).toBe('PROMPT_NOT_FOUND');
  });

  contract('a file that was added without the store is a separate version', async (opened) => {
    const { store, write, text, versions, putByHand } = opened;
    await write('one');
    await putByHand(NAME, 'by hand');
    expect(await store.read(NAME)).toMatchObject({ version: 2, author: null, size: 7 });
    expect(await write('three')).toMatchObject({ version: 3 });
    expect([await text(NAME, 2), await text(NAME, 1)]).toEqual(['by hand', 'one']);
    expect(await versions()).toEqual([3, 2, 1]);
    const other = { revision: 'v2', file: 'hand.md' };
    await putByHand(other, 'first');
    expect(await store.read(other)).toMatchObject({ version: 1, author: null });
    expect(await versions(other)).toEqual([1]);
  });

  contract('a write based on an older version is rejected', async ({ store, write, text }) => {
    await write('one');
    const { etag } = await store.read(NAME);
    await write('two', NAME, etag);
    await write('one');
    expect(await refusal(write('lost', NAME, etag))).toBe('PROMPT_CONFLICT');
    expect(await refusal(write('new', { ...NAME, file: 'none.md' }, '*'))).toBe('PROMPT_CONFLICT');
    expect(await text()).toBe('one');
    expect(await refusal(write('four', NAME, '*'))).toBe('none');
  });

  contract('if several writers have read the same version, one wins', async ({ store, write }) => {
    await write('one');
    const { etag } = await store.read(NAME);
    const outcomes = await Promise.all(['a', 'b', 'c'].map((each) => refusal(write(each, NAME, etag))));
    expect(outcomes.sort()).toEqual(['PROMPT_CONFLICT', 'PROMPT_CONFLICT', 'none']);
    expect(await store.read(NAME)).toMatchObject({ version: 2 });
  });

  contract('invalid file names are neither found nor written', async ({ store, write, isEmpty }) => {
    for (const file of BAD_NAMES) {
      for (const name of [
        { revision: 'v1', file },
        { revision: file.replace(/^$/, '..'), file: 'a..md' },
      ]) {
        expect([file, await refusal(store.read(name))]).toEqual([file, 'PROMPT_NOT_FOUND']);
        expect([file, await refusal(store.history(name))]).toEqual([file, 'PROMPT_NOT_FOUND']);
        expect([file, await refusal(write('x', name))]).toEqual([file, 'PROMPT_INVALID']);
      }
    }
    expect(await isEmpty()).toBe(true);
  });

  contract('a file of more than 64 KiB is rejected', async ({ store, write, putByHand }) => {
    expect(await refusal(write('x'.repeat(65_537)))).toBe('PROMPT_INVALID');
    expect(await write('x'.repeat(65_536))).toMatchObject({ size: 65_536 });
    await putByHand(NAME, 'x'.repeat(65_537));
    expect(await refusal(store.read(NAME))).toBe('PROMPT_STORAGE_FAILED');
  });

  contract(
    `${many} concurrent writers and several readers: each read returns one complete version`,
    async ({ store, write, text }) => {
      const texts = Array.from({ length: many }, (_, n) => `${n}:`.padEnd(20_000, String(n % 10)));
      await write(texts[0] ?? '');
      let writing = true;
      const writers = Promise.all(texts.map((each) => write(each))).finally(() => (writing = false));
      const reader = async () => {
        do expect(texts.includes(await text())).toBe(true);
        while (writing);
      };
      await Promise.all([writers, reader(), reader(), reader()]);
      expect(await store.read(NAME)).toMatchObject({ version: many + 1 });
    },
  );

  contract(
    'a reader never sees a combination of two versions while a writer is active',
    async ({ store, write }) => {
      await write('0');
      let writing = true;
      const writer = (async () => {
        for (let n = 1; n < 40; n++) await write(String(n));
      })().finally(() => (writing = false));
      while (writing) {
        const { version, bytes } = await store.read(NAME);
        expect(version).toBe(Number(new TextDecoder().decode(bytes)) + 1);
      }
      await writer;
    },
  );

  contract('a call gets the newest file of its revision, of default, or of the package', async (opened) => {
    const { source, write } = opened;
    const used = async (file = 'w.a.jinja') => {
      const found = await source.read({ file }, 'v1');
      return found && [found.text, found.used.revision_id, found.used.version];
    };
    expect([await used(), await used('none.md')]).toEqual([['shipped', 'default', 0], undefined]);
    await write('default', { revision: 'default', file: 'w.a.jinja' });
    expect(await used()).toEqual(['default', 'default', 1]);
    for (let n = 0; n < 10; n++) {
      await write(`text ${n}`, { revision: 'v1', file: 'w.a.jinja' });
      expect(await used()).toEqual([`text ${n}`, 'v1', n + 1]);
    }
    expect((await source.read({ file: 'w.a.jinja' }, 'v2'))?.text).toBe('default');
    expect(await source.read({ file: '../w.a.jinja' }, '..')).toBeUndefined();
  });

  contract("a file's earlier name counts after its name in each place", async ({ source, write }) => {
    const wanted = { file: 'w.a.jinja', earlier: 'w.old.jinja' };
    const used = async () => {
      const found = await source.read(wanted, 'v1');
      return [found?.text, found?.used.filename];
    };
    for (const [revision, file] of [
      ['default', 'w.old.jinja'],
      ['default', 'w.a.jinja'],
      ['v1', 'w.old.jinja'],
      ['v1', 'w.a.jinja'],
    ] as const) {
      await write(`${revision} ${file}`, { revision, file });
      expect(await used()).toEqual([`${revision} ${file}`, file]);
    }
    const shippedBefore = { file: 'w.new.jinja', earlier: 'w.b.jinja' };
    expect((await source.read(shippedBefore, 'v1'))?.text).toBe('other');
  });

  contract('a check of the store succeeds, empty or not', async ({ store, write }) => {
    expect(await refusal(store.check())).toBe('none');
    await write('x');
    expect(await refusal(store.check())).toBe('none');
  });
}

type Shortcuts = ReturnType<typeof withShortcuts>;

function withShortcuts(opened: OpenedPrompts) {
  const { store } = opened;
  return {
    ...opened,
    write: (text: string, name = NAME, ifMatch?: string) =>
      store.write(name, { bytes: Buffer.from(text), author: 'ana', ifMatch }),
    text: async (name = NAME, version?: number) =>
      new TextDecoder().decode((await store.read(name, version)).bytes),
    versions: async (name = NAME) => (await store.history(name)).map(({ version }) => version),
  };
}

/** The error code of a rejected call, or `none`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: { code?: string }) => error.code ?? String(error),
  );
}
