/** The sample documents: all or none of them are installed, and they are readable. */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installSamples, sampleDocuments } from '../../../../tools/knowledge/sample/install.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a new path in a new folder. */
function fresh(name: string): string {
  const parent = join(folder, name);
  mkdirSync(parent);
  return join(parent, 'documents');
}

test('a missing folder is created and filled, and no other files are left', async () => {
  const path = join(fresh('missing'), 'deeper');
  expect(await installSamples(path)).toBe(true);
  expect(readdirSync(path).toSorted()).toEqual(await sampleDocuments());
  expect(readdirSync(join(path, '..'))).toEqual(['deeper']);
});

test('an empty folder is filled, and keeps its permissions', async () => {
  const path = fresh('empty');
  mkdirSync(path);
  chmodSync(path, 0o750);
  expect(await installSamples(path)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o750);
  expect(readdirSync(path)).toHaveLength((await sampleDocuments()).length);
});

test('a link to an empty folder stays a link', async () => {
  const path = fresh('link');
  mkdirSync(`${path}-elsewhere`);
  symlinkSync(`${path}-elsewhere`, path);
  expect(await installSamples(path)).toBe(true);
  expect(readdirSync(`${path}-elsewhere`).toSorted()).toEqual(await sampleDocuments());
});

test("a folder with a user's file is not changed", async () => {
  const path = fresh('mine');
  mkdirSync(path);
  writeFileSync(join(path, 'warranty.md'), 'mine');
  expect(await installSamples(path)).toBe(false);
  expect(readdirSync(path)).toEqual(['warranty.md']);
  expect(readFileSync(join(path, 'warranty.md'), 'utf8')).toBe('mine');
});

test('two concurrent installations install one set', async () => {
  const path = fresh('both');
  const done = await Promise.all([installSamples(path), installSamples(path)]);
  expect(done.toSorted()).toEqual([false, true]);
  expect(readdirSync(path).toSorted()).toEqual(await sampleDocuments());
  expect(readdirSync(join(folder, 'both'))).toEqual(['documents']);
});

test('a file in place of the folder is an error, and is not changed', async () => {
  const path = fresh('file');
  writeFileSync(path, 'mine');
  await expect(installSamples(path)).rejects.toThrow('ENOTDIR');
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('a kill between any two files leaves no folder, or a complete one', async () => {
  const path = fresh('killed');
  const total = (await sampleDocuments()).length;
  const seen: number[] = [];
  for (let written = 0; written < total; written++) {
    rmSync(path, { recursive: true, force: true });
    const child = Bun.spawn([
      process.execPath,
      join(import.meta.dir, 'killed-install.ts'),
      path,
      `${written}`,
    ]);
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
    seen.push(existsSync(path) ? readdirSync(path).length : 0);
  }
  expect(seen).toContain(0);
  expect(seen.filter((count) => count !== 0 && count !== total)).toEqual([]);
  rmSync(path, { recursive: true, force: true });
  expect(await installSamples(path)).toBe(true);
}, 120_000);

describe('the documents', () => {
  test('are at least a dozen with 500 to 1200 words, each with one title', async () => {
    const path = fresh('read');
    await installSamples(path);
    const names = readdirSync(path);
    expect(names.length).toBeGreaterThanOrEqual(12);
    for (const name of names) {
      const text = readFileSync(join(path, name), 'utf8');
      expect(text.split(/\s+/).length, name).toBeWithin(500, 1200);
      expect(text.match(/^# .+/gm), name).toHaveLength(1);
      expect(text.match(/^## .+/gm)?.length, name).toBeGreaterThanOrEqual(5);
    }
  });
});
