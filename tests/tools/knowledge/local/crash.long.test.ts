/** The index after its process was killed, or its files were deleted or overwritten. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@lancedb/lancedb';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import { documentsOf, type TestFolder, testFolder } from './open-library.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

const STEPS = [
  ...[1, 2, 5, 9, 14].map((at) => ['embed', at] as const),
  ...[1, 2, 3, 4].map((at) => ['progress', at] as const),
  ...[300, 500, 700].map((at) => ['later', at] as const),
];

test('after a kill at any step, the index opens, and after the next scan it has no missing or duplicate passages', async () => {
  await using folder = testFolder();
  for (const [round, [step, at]] of STEPS.entries()) {
    await writeDocuments(folder, round);
    const child = Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, 'killed-ingestion.ts'),
        folder.documents,
        folder.index,
        step,
        `${at}`,
      ],
      { stderr: 'inherit' },
    );
    await child.exited;
    // A process that is killed after a time may already have finished.
    if (step !== 'later') expect([step, at, child.signalCode]).toEqual([step, at, 'SIGKILL']);
    if (round % 3 === 2) await expectWhole(folder);
  }
  await expectWhole(folder);
});

test('an index that is deleted while it is open is rebuilt', async () => {
  await using folder = testFolder();
  await folder.write('a.md', 'The gizmo squeaks.');
  const library = folder.open();
  await library.scan();
  rmSync(folder.index, { recursive: true });
  expect((await library.search('gizmo squeaks')).found).toBe(true);
  expect(folder.said).toContain('the index is missing and is being rebuilt');
  rmSync(join(folder.index, 'passages.lance'), { recursive: true });
  expect((await library.search('gizmo squeaks')).found).toBe(true);
  expect((await library.documents()).map(({ state }) => state)).toEqual(['indexed']);
});

test.each(['catalog.sqlite', 'passages.lance'])('an index whose %s is damaged is rebuilt', async (part) => {
  await using folder = testFolder();
  await folder.write('a.md', 'The gizmo squeaks.');
  await folder.write('b.md', 'The widget rattles.');
  const first = folder.open();
  await first.scan();
  await first.close();
  await damage(join(folder.index, part));
  await rm(join(folder.index, 'catalog.sqlite-wal'), { force: true });
  const second = folder.open();
  expect(documentsOf(await second.search('gizmo squeaks', { limit: 1 }))).toEqual(['a.md']);
  expect(folder.said.join()).toContain('being rebuilt');
  expect((await second.documents()).map(({ chunks }) => chunks)).toEqual([1, 1]);
});

test('a document whose passages are missing from the table is read again', async () => {
  await using folder = testFolder();
  await folder.write('a.md', 'The gizmo squeaks.');
  await folder.write('b.md', 'The widget rattles.');
  const first = folder.open();
  await first.scan();
  await first.close();
  const table = await (await connect(folder.index)).openTable('passages');
  await table.delete("body LIKE '%gizmo%'");
  table.close();
  const second = folder.open();
  expect(documentsOf(await second.search('gizmo squeaks', { limit: 1 }))).toEqual(['a.md']);
  expect(folder.said).toContain('the index lacks passages of some documents; they are read again');
});

async function damage(path: string): Promise<void> {
  if (!path.endsWith('.lance'))
    return writeFileSync(path, 'no database, but long enough to be taken for one');
  for (const name of await readdir(path, { recursive: true }))
    if (/\.(lance|manifest|txn)$/.test(name)) writeFileSync(join(path, name), 'damaged');
}

async function writeDocuments(folder: TestFolder, round: number): Promise<void> {
  const words = (count: number, of: string) =>
    Array.from({ length: count }, (_, at) => `${of}${at % 97} thing.`);
  await folder.write('large.md', `# Large ${round}\n\n${words(60_000, `r${round}n`).join(' ')}\n`);
  for (let at = 0; at < 12; at++)
    await folder.write(
      `small${at}.md`,
      `# Small\n\n${words(300, `r${at % 3 === 0 ? round : 'x'}w`).join(' ')}\n`,
    );
  if (round % 2 === 1) await rm(join(folder.documents, 'small11.md'));
}

async function expectWhole(folder: TestFolder): Promise<void> {
  const library = folder.open();
  await library.scan();
  const documents = await library.documents();
  await library.close();
  const expected = await passagesOf(folder);
  expect(documents.map(({ name, state, chunks }) => [name, state, chunks])).toEqual(
    [...expected].sort().map(([name, ids]) => [name, 'indexed', ids.length]),
  );
  const table = await (await connect(folder.index)).openTable('passages');
  const rows = await table.query().select(['id']).toArray();
  table.close();
  expect(rows.map(({ id }) => id).sort()).toEqual([...expected.values()].flat().sort());
}

async function passagesOf({ documents }: TestFolder): Promise<Map<string, string[]>> {
  const reader = openReader({ processes: 1 });
  const found = new Map<string, string[]>();
  for (const name of await readdir(documents)) {
    const { chunks } = await reader.read(name, new Uint8Array(await readFile(join(documents, name))));
    found.set(
      name,
      chunks.map(({ id }) => id),
    );
  }
  await reader.close();
  return found;
}
