/** The library over a local folder: real files, a real LanceDB index, the built-in embedder. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { documentsOf, testFolder } from './open-library.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

const CHAINS = '# Chains\n\nA worn chain skips under load. Replace the chain at 0.75 percent wear.\n';
const TYRES = '# Tyres\n\nTubeless tyres want fresh sealant every four months.\n';
const bytes = (text: string) => new TextEncoder().encode(text);

test('a document of the folder is found by its meaning and its words, with its position and context', async () => {
  await using folder = testFolder();
  await folder.write('chains.md', CHAINS);
  await folder.write('deep/er/tyres.md', TYRES);
  const library = folder.open();
  const result = await library.search('when is a worn chain replaced?', { limit: 1 });
  expect(result.found).toBe(true);
  const [passage] = result.passages;
  expect(passage).toMatchObject({ document: 'chains.md', heading: 'Chains', page: null });
  expect(passage?.context).toContain('skips under load');
  expect(passage?.scores.vector).toBeGreaterThan(0.15);
  expect(passage?.scores.text).toBeGreaterThan(0);
  expect(passage?.scores.fused).toBeCloseTo(1.5 / 61, 6);
  expect((await library.documents()).map(({ name, state, chunks }) => [name, state, chunks])).toEqual([
    ['chains.md', 'indexed', 1],
    ['deep/er/tyres.md', 'indexed', 1],
  ]);
});

test('an unrelated query finds nothing, but returns the nearest passages', async () => {
  await using folder = testFolder();
  await folder.write('chains.md', CHAINS);
  const library = folder.open();
  const result = await library.search('parliament elections yesterday');
  expect(result.found).toBe(false);
  expect(documentsOf(result)).toEqual(['chains.md']);
  expect((await library.search('worn chain', { threshold: 1 })).found).toBe(true);
  expect((await library.search('"')).found).toBe(false);
  expect((await library.search("') OR 1=1 --\0")).found).toBe(false);
});

test('passages with equal scores have the same order, whichever was ingested first', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `copy-${at}.md`);
  const orders = await Promise.all(
    [names, names.toReversed()].map(async (order) => {
      await using folder = testFolder();
      const library = folder.open();
      for (const name of order) await library.add(name, new TextEncoder().encode(CHAINS));
      const { passages } = await library.search('wornn chainn', { limit: 8 });
      return passages.map(({ document }) => document);
    }),
  );
  expect(orders[0]).toHaveLength(8);
  expect(orders[1]).toEqual(orders[0]);
});

test('an empty folder has no documents and finds nothing', async () => {
  await using folder = testFolder();
  const library = folder.open();
  expect(await library.documents()).toEqual([]);
  expect(await library.search('chain')).toEqual({ found: false, passages: [] });
});

test('the next search sees documents that were added, changed and removed by hand', async () => {
  await using folder = testFolder();
  const library = folder.open();
  await folder.write('a.md', CHAINS);
  expect(documentsOf(await library.search('worn chain'))).toEqual(['a.md']);
  await folder.write('a.md', TYRES);
  await folder.write('b.md', CHAINS);
  await library.scan();
  expect((await library.search('tubeless sealant', { limit: 1 })).passages[0]?.document).toBe('a.md');
  expect((await library.search('worn chain', { limit: 1 })).passages[0]?.document).toBe('b.md');
  await rename(join(folder.documents, 'b.md'), join(folder.documents, 'c.md'));
  await rm(join(folder.documents, 'a.md'));
  await library.scan();
  expect(documentsOf(await library.search('worn chain tubeless sealant'))).toEqual(['c.md']);
});

test('only changed documents are embedded again, also after a restart', async () => {
  await using folder = testFolder();
  const counted = counting(folder);
  await folder.write('a.md', CHAINS);
  await folder.write('b.md', TYRES);
  const first = folder.open(counted.options());
  await first.scan();
  expect(counted.embedded()).toBe(2);
  await folder.write('b.md', TYRES);
  await first.scan();
  await first.close();
  const second = folder.open(counted.options());
  await second.scan();
  expect(counted.embedded()).toBe(2);
  await folder.write('b.md', `${TYRES}\nMore.\n`);
  await second.scan();
  expect(counted.embedded()).toBe(3);
});

test('with another embedder, all documents are embedded again, which is logged', async () => {
  await using folder = testFolder();
  await folder.write('a.md', CHAINS);
  const first = folder.open();
  await first.scan();
  await first.close();
  const counted = counting(folder);
  const { embedder } = counted.options();
  const second = folder.open({ embedder: { ...embedder, name: 'another' } });
  await second.scan();
  expect(counted.embedded()).toBe(1);
  expect(folder.logged).toContain('the embedder changed: all documents are reindexed');
  expect((await second.search('worn chain')).found).toBe(true);
});

test('an added document is written atomically, and then found', async () => {
  await using folder = testFolder();
  const library = folder.open();
  const { document, created } = await library.add('chains.md', bytes(CHAINS));
  expect(created).toBe(true);
  expect(document).toMatchObject({ name: 'chains.md', state: 'indexed', chunks: 1, bytes: CHAINS.length });
  expect(readFileSync(join(folder.documents, 'chains.md'), 'utf8')).toBe(CHAINS);
  expect(readdirSync(folder.documents)).toEqual(['chains.md']);
  expect((await library.search('worn chain')).found).toBe(true);
  expect((await library.add('chains.md', bytes(TYRES))).created).toBe(false);
  expect((await library.search('worn chain', { threshold: 0.3 })).found).toBe(false);
  expect(await library.read('chains.md')).toEqual(bytes(TYRES));
  expect(await library.remove('chains.md')).toBe(true);
  expect(await library.remove('chains.md')).toBe(false);
  expect(await library.read('chains.md')).toBeUndefined();
  expect(await library.search('sealant')).toEqual({ found: false, passages: [] });
});

test('the next start only removes what a killed upload has left', async () => {
  await using folder = testFolder();
  const [left, now] = [1, 2].map(() => `.${Bun.randomUUIDv7()}.tmp`);
  for (const name of [left ?? '', now ?? '', '.keep.tmp']) await folder.write(name, 'half of a docu');
  for (const name of [left ?? '', '.keep.tmp']) await utimes(join(folder.documents, name), 0, 0);
  await folder.open().scan();
  expect(readdirSync(folder.documents).toSorted()).toEqual([now ?? '', '.keep.tmp'].toSorted());
});

test('a missing folder is logged once, and found again when it is back', async () => {
  await using folder = testFolder();
  await folder.write('chains.md', CHAINS);
  const library = folder.open();
  await library.scan();
  await rename(folder.documents, `${folder.documents}.away`);
  await folder.write('../documents', 'a file');
  for (let scan = 0; scan < 2; scan++) await library.scan();
  expect(await library.documents()).toEqual([]);
  expect(folder.logged).toEqual(['the documents folder no longer exists']);
  await rm(folder.documents);
  await rename(`${folder.documents}.away`, folder.documents);
  await library.scan();
  expect(documentsOf(await library.search('worn chain'))).toEqual(['chains.md']);
});

test('no name leads out of the folder', async () => {
  await using folder = testFolder();
  const library = folder.open();
  const outside = join(dirname(folder.documents), 'outside.md');
  await Bun.write(outside, CHAINS);
  await mkdir(join(folder.documents, 'sub'));
  symlinkSync(dirname(folder.documents), join(folder.documents, 'link'));
  symlinkSync(outside, join(folder.documents, 'linked.md'));
  const names = [
    '../outside.md',
    '/etc/x.md',
    'sub/../../outside.md',
    'link/outside.md',
    'a\0.md',
    '.hidden.md',
  ];
  for (const name of [...names, 'sub/new.md', 'x.exe', '', '..md', 'a..md', `${'a'.repeat(200)}.md`])
    await expect(library.add(name, bytes('x'))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  for (const name of names) {
    expect(await library.read(name)).toBeUndefined();
    expect(await library.remove(name)).toBe(false);
  }
  expect(await library.read('linked.md')).toBeUndefined();
  expect(existsSync(outside)).toBe(true);
  await expect(library.add('linked.md', bytes('x'))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(readFileSync(outside, 'utf8')).toBe(CHAINS);
  await expect(library.add('big.md', new Uint8Array(20 * 1024 * 1024 + 1))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  });
});

test("unreadable documents are listed with the reason, and don't affect the others", async () => {
  await using folder = testFolder();
  await folder.write('good.md', CHAINS);
  await folder.write('bad.pdf', 'no PDF');
  await folder.write('big.txt', new Uint8Array(20 * 1024 * 1024 + 1));
  await folder.write('program.exe', 'MZ');
  symlinkSync('/etc/hostname', join(folder.documents, 'out.txt'));
  Bun.spawnSync(['mkfifo', join(folder.documents, 'pipe.txt')]);
  Bun.spawnSync(['sh', '-c', "printf 'x' > \"$(printf 'latin\\351.md')\""], { cwd: folder.documents });
  const library = folder.open();
  await library.scan();
  const documents = await library.documents();
  expect(documents.map(({ name, state }) => [name, state])).toEqual([
    ['bad.pdf', 'failed'],
    ['big.txt', 'failed'],
    ['good.md', 'indexed'],
    ['out.txt', 'failed'],
    ['pipe.txt', 'failed'],
  ]);
  expect(documents.map(({ error }) => error).filter(Boolean)).toEqual([
    expect.stringContaining('PDF'),
    'It is larger than 20 MiB',
    'It is a link, and links are not followed',
    'It is not a file',
  ]);
  expect([...library.skipped()].sort()).toEqual([
    ['latin\uFFFD.md', 'its name is not UTF-8'],
    ['program.exe', 'documents of this kind cannot be read'],
  ]);
  expect(folder.logged).toContain('skipped: documents of this kind cannot be read');
  const { document } = await library.add('added.pdf', bytes('no PDF'));
  expect(document).toMatchObject({ state: 'failed', chunks: 0 });
  expect(existsSync(join(folder.documents, 'added.pdf'))).toBe(true);
  await rm(join(folder.documents, 'out.txt'));
  await folder.write('out.txt', TYRES);
  await library.scan();
  expect((await library.search('tubeless sealant')).found).toBe(true);
});

test('documents with quotes and special characters in their names are kept apart when one is removed', async () => {
  await using folder = testFolder();
  const names = [
    `it's.md`,
    `it''s.md`,
    `"quoted".md`,
    `'; DROP TABLE passages; --.md`,
    'ünï ✓\n.md',
    '%_.md',
  ];
  for (const [index, name] of names.entries())
    await folder.write(name, `# N\n\nThe word is gizmo${index}.\n`);
  const library = folder.open();
  for (const [index, name] of names.entries()) {
    const { passages } = await library.search(`gizmo${index}`, { limit: 1 });
    expect(passages.map(({ document }) => document)).toEqual([name]);
  }
  for (const name of names.slice(0, 3)) expect(await library.remove(name)).toBe(true);
  expect(documentsOf(await library.search('gizmo word', { limit: 20 }))).toEqual(names.slice(3).sort());
  expect((await library.documents()).map(({ name }) => name)).toEqual(names.slice(3).sort());
});

/** The number of passages that libraries with these options have embedded. */
function counting(folder: ReturnType<typeof testFolder>) {
  let embedded = 0;
  return {
    embedded: () => embedded,
    options() {
      const { embedder } = folder;
      return {
        embedder: {
          ...embedder,
          embed: (texts: readonly string[], use: 'passage' | 'query', signal?: AbortSignal) => {
            if (use === 'passage') embedded += texts.length;
            return embedder.embed(texts, use, signal);
          },
        },
      };
    },
  };
}
