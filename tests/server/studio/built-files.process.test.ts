/** The studio's files in a checkout: bundled once, cached by their sources, and shipped with the package. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFiles, sources } from '../../../server/studio/built-files.ts';
import { packed, unpacked } from '../../../server/studio/packed-files.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-studio-files-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a second start uses the bundle of the first one', async () => {
  const cache = join(root, 'cache');
  const files = unpacked(await builtFiles(cache));
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['', expect.stringMatching(/^main-\w+\.js$/)]),
  );
  const [name = '', ...others] = readdirSync(cache);
  expect(others).toEqual([]);
  const mark = packed([]);
  writeFileSync(join(cache, name), mark);
  expect(await builtFiles(cache)).toEqual(mark);
}, 120_000);

test('the cache key depends on all sources', () => {
  expect(sources()).toEqual(
    expect.arrayContaining([
      'studio/main.tsx',
      'studio/chat/chat.css',
      'client/client.ts',
      'server/studio/page.ts',
    ]),
  );
});

test('a bundle of other sources is replaced', async () => {
  const cache = join(root, 'other');
  await Bun.write(join(cache, 'studio-0123456789abcdef'), 'of other sources');
  expect(unpacked(await builtFiles(cache)).length).toBeGreaterThan(2);
  expect(readdirSync(cache)).toEqual([expect.stringMatching(/^studio-[0-9a-f]{32}$/)]);
}, 120_000);

test('if the cache is not writable, the bundle is still created', async () => {
  const file = join(root, 'file');
  await Bun.write(file, '');
  expect(unpacked(await builtFiles(join(file, 'cache'))).length).toBeGreaterThan(2);
}, 120_000);
