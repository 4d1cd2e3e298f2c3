/** Concurrent use of a library, in one process and in two. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { documentsOf, testFolder } from './open-library.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

test('while documents are added, changed and removed, every search sees each of them completely, before or after the change', async () => {
  await using folder = testFolder();
  await folder.write('steady.md', 'The steady gizmo.');
  await folder.write('changing.md', 'The changing gizmo, version 0.');
  const library = folder.open();
  library.watch();
  await library.scan();
  let done = false;
  const changes = (async () => {
    for (let round = 1; round <= 12; round++) {
      await Promise.all([
        library.add('changing.md', new TextEncoder().encode(`The changing gizmo, version ${round}.`)),
        library.add(`extra${round}.md`, new TextEncoder().encode('Something else that rattles.')),
        folder.write('by-hand.md', `By hand ${round}.`),
      ]);
      await Promise.all([library.remove(`extra${round}.md`), rm(join(folder.documents, 'by-hand.md'))]);
    }
    done = true;
  })();
  const searches = async () => {
    let newest = 0;
    while (!done) {
      const { found, passages } = await library.search('changing steady gizmo version');
      expect(found).toBe(true);
      const gizmos = passages.filter(({ text }) => text.includes('gizmo'));
      expect(gizmos.map(({ document }) => document).sort()).toEqual(['changing.md', 'steady.md']);
      const version = Number(gizmos.map(({ text }) => /version (\d+)/.exec(text)?.[1]).find(Boolean));
      expect(version).toBeGreaterThanOrEqual(newest);
      newest = version;
    }
  };
  await Promise.all([changes, searches(), searches(), searches()]);
  await library.scan();
  expect((await library.documents()).map(({ name, chunks }) => [name, chunks])).toEqual([
    ['changing.md', 1],
    ['steady.md', 1],
  ]);
  expect(documentsOf(await library.search('something rattles by hand'))).toEqual([
    'changing.md',
    'steady.md',
  ]);
});

test('concurrent uploads of a document leave one of them, complete', async () => {
  await using folder = testFolder();
  const library = folder.open();
  const texts = Array.from({ length: 20 }, (_, at) => `Text number ${at}.`);
  const added = await Promise.all(texts.map((text) => library.add('one.md', new TextEncoder().encode(text))));
  expect(added.every(({ document }) => document.chunks === 1)).toBe(true);
  const stored = new TextDecoder().decode(await library.read('one.md'));
  expect(texts).toContain(stored);
  const { passages } = await library.search('text number', { limit: 50 });
  expect(passages.map(({ text }) => text)).toEqual([stored]);
});

test('a document that is changed while the folder is watched is found without an explicit scan', async () => {
  await using folder = testFolder();
  const library = folder.open();
  library.watch();
  await library.scan();
  await folder.write('new.md', 'The gizmo squeaks.');
  const until = Date.now() + 20_000;
  while (!(await library.search('gizmo squeaks')).found) expect(Date.now()).toBeLessThan(until);
});

test('a second process gets the index only after the first has closed it', async () => {
  await using folder = testFolder();
  await folder.write('a.md', 'The gizmo squeaks.');
  const first = folder.open();
  first.watch();
  const second = folder.open();
  await expect(second.search('gizmo')).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    field: 'knowledge_base.index_path',
  });
  await first.close();
  expect((await second.search('gizmo')).found).toBe(true);
  await expect(first.search('gizmo')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
});

test('the index is never inside the watched folder, nor the folder inside the index, even with links', async () => {
  await using folder = testFolder();
  const link = `${folder.documents}-link`;
  await Bun.$`ln -s ${folder.documents} ${link}`.quiet();
  const outside = { field: 'knowledge_base.index_path', code: 'CONFIGURATION_ERROR' };
  for (const indexPath of [
    folder.documents,
    join(folder.documents, 'x/y'),
    link,
    join(link, 'new'),
    `${folder.documents}/./x`,
  ])
    expect(() => folder.open({ indexPath })).toThrow(expect.objectContaining(outside));
  expect(() => folder.open({ documentsPath: join(folder.index, 'documents') })).toThrow(
    expect.objectContaining({ field: 'knowledge_base.documents_path' }),
  );
});

test('if the embedder fails, the document is retried later, and the error is logged', async () => {
  await using folder = testFolder();
  let broken = true;
  const { embedder } = folder;
  const library = folder.open({
    embedder: {
      ...embedder,
      embed: (texts, use, signal) =>
        broken && use === 'passage' ? Promise.reject(new Error('down')) : embedder.embed(texts, use, signal),
    },
  });
  await expect(library.add('a.md', new TextEncoder().encode('The gizmo.'))).rejects.toThrow('down');
  expect(await library.documents()).toMatchObject([
    { name: 'a.md', state: 'failed', error: expect.stringContaining('will be retried') },
  ]);
  broken = false;
  expect((await library.add('a.md', new TextEncoder().encode('The gizmo.'))).document.state).toBe('indexed');
});

test('a failed upload reports the reason, even if the next attempt has begun', async () => {
  await using folder = testFolder();
  const { embedder } = folder;
  const called = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answers = called.map(() => Promise.withResolvers<never>());
  let calls = 0;
  const library = folder.open({
    embedder: {
      ...embedder,
      embed(texts, use, signal) {
        if (use === 'query') return embedder.embed(texts, use, signal);
        called[calls]?.resolve();
        return answers[calls++]?.promise ?? Promise.reject(new Error('down'));
      },
    },
  });
  await library.scan();
  const added = library.add('a.md', new TextEncoder().encode('The gizmo.'));
  await called[0]?.promise;
  const scanned = library.scan();
  // The scan has found the file and will check it once more.
  await library.documents();
  answers[0]?.reject(new Error('down'));
  await expect(added).rejects.toThrow('down');
  await called[1]?.promise;
  answers[1]?.reject(new Error('down'));
  await scanned;
});

test('an aborted search ends immediately', async () => {
  await using folder = testFolder();
  const library = folder.open();
  const aborted = AbortSignal.abort(new Error('gone'));
  await expect(library.search('gizmo', { signal: aborted })).rejects.toThrow('gone');
});

test('a library that is closed while it indexes closes quickly, and continues after it is opened again', async () => {
  await using folder = testFolder();
  const names = Array.from({ length: 200 }, (_, at) => `d${String(at).padStart(3, '0')}.md`);
  for (const name of names)
    await folder.write(name, `# ${name}\n\n${'The gizmo squeaks a bit. '.repeat(100)}`);
  const started = Promise.withResolvers<void>();
  const first = folder.open({ onProgress: () => started.resolve() });
  const scan = first.scan().catch((error) => error);
  await started.promise;
  const added = first.add('late.md', new TextEncoder().encode('Late.')).catch((error) => error);
  await first.close();
  expect(await scan).toMatchObject({ code: 'SHUTTING_DOWN' });
  // It may have finished just before.
  const upload = await added;
  if (upload instanceof Error) expect(upload).toMatchObject({ code: 'SHUTTING_DOWN' });
  const second = folder.open();
  await second.scan();
  const documents = await second.documents();
  expect(documents.filter(({ state }) => state === 'indexed').length).toBe(documents.length);
  expect(documents.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});
