/** Schemas from types stay cached as long as nothing that the types depend on has changed. */
import { expect, onTestFinished, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cachedSchemas, cacheSchemas } from '../../../../graphs/adoption/schemas/cached-schemas.ts';

const EXTRACTOR = 'node_modules/@langchain/extractor/dist/index.mjs';
const FILES = {
  'src/graph.ts': `import type { Step } from './state';\nimport { z } from 'library';\nimport('./later.ts');`,
  'src/state.ts': 'export type Step = 1;',
  'src/later.ts': `import './graph.ts';`,
  'node_modules/library/index.js': 'export const z = 1;',
  'node_modules/library/package.json': '{"name":"library","version":"1.0.0","main":"index.js"}',
  'node_modules/@langchain/extractor/package.json': '{"name":"@langchain/extractor","version":"1.0.0"}',
  [EXTRACTOR]: 'export {};',
};
const TYPES = { graph: { state: { type: 'object' } } };

function project() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  const source = { file: join(folder, 'src/graph.ts'), export: 'graph' };
  return {
    source,
    extractor: join(folder, EXTRACTOR),
    write,
    cache: join(folder, 'node_modules/.cache/skein'),
  };
}

test.each([
  ['the file', 'src/graph.ts', FILES['src/graph.ts'].replace('z', 'y')],
  ['a file of types that it imports', 'src/state.ts', 'export type Step = 2;'],
  ['a file that it imports when it runs', 'src/later.ts', 'export {};'],
  ['the version of a package', 'node_modules/library/package.json', '{"name":"library","version":"2.0.0"}'],
  ['the version of the extractor', 'node_modules/@langchain/extractor/package.json', '{"version":"2.0.0"}'],
  ["the compiler's settings", 'tsconfig.json', '{"compilerOptions":{"strict":true}}'],
])('a change of %s counts, and the earlier entry is removed', async (_, name, text) => {
  const { source, extractor, write, cache } = project();
  expect(await cachedSchemas(source, extractor)).toBeUndefined();
  await cacheSchemas(source, extractor, TYPES);
  expect(await cachedSchemas(source, extractor)).toEqual(TYPES);
  write(name, text);
  expect(await cachedSchemas(source, extractor)).toBeUndefined();
  await cacheSchemas(source, extractor, TYPES);
  expect(readdirSync(cache)).toHaveLength(1);
});

test('a package counts by its version only, and other exports are cached separately', async () => {
  const { source, extractor, write, cache } = project();
  await cacheSchemas(source, extractor, TYPES);
  await cacheSchemas({ ...source, export: 'other' }, extractor, {});
  write('node_modules/library/index.js', 'export const z = 2;');
  expect(await cachedSchemas(source, extractor)).toEqual(TYPES);
  expect(readdirSync(cache)).toHaveLength(2);
});

test('nothing is cached if the cache cannot be written', async () => {
  const { source, extractor, write } = project();
  write('node_modules/.cache', 'a file');
  await cacheSchemas(source, extractor, TYPES);
  expect(await cachedSchemas(source, extractor)).toBeUndefined();
});
