/** Imports between layers only go down, and never form a cycle. */
import { expect, test } from 'bun:test';
import { dirname, join } from 'node:path';
import { FILES, IMPORTS, layerOf, ROOT } from './support/imports.ts';

test('the check reads imports', () => {
  expect(FILES.length).toBeGreaterThan(50);
  expect([...IMPORTS.values()].flat().length).toBeGreaterThan(100);
});

test('imports only go down', () => {
  const upward = [...IMPORTS].flatMap(([file, imports]) =>
    imports.filter((target) => layerOf(target) > layerOf(file)).map((target) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

test('files do not import each other in a cycle', () => {
  expect(FILES.filter((file) => isCyclic(file, (one) => IMPORTS.get(one) ?? []))).toEqual([]);
});

test('the folders of a layer form no cycle', () => {
  const folders = new Map<string, Set<string>>();
  for (const [file, imports] of IMPORTS)
    for (const target of imports)
      if (layerOf(target) === layerOf(file) && folderOf(target) !== folderOf(file))
        folders.set(folderOf(file), (folders.get(folderOf(file)) ?? new Set()).add(folderOf(target)));
  expect(folders.size).toBeGreaterThan(50);
  expect([...folders.keys()].filter((folder) => isCyclic(folder, (one) => folders.get(one) ?? []))).toEqual(
    [],
  );
});

test('outside of state/, only the code that opens a driver imports it', () => {
  const importing = [...IMPORTS].flatMap(([file, imports]) =>
    imports.some((target) => /^state\/(sqlite|postgres)\//.test(target)) && !file.startsWith('state/')
      ? [file]
      : [],
  );
  expect(importing).toEqual(['cli/service/drivers/open-state.ts']);
});

test('the client only imports types from the service, and no platform modules', async () => {
  const imported = [...IMPORTS].flatMap(([file, imports]) =>
    isClient(file) ? imports.filter((target) => !target.startsWith('client/')) : [],
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((target) => !target.startsWith('server/'))).toEqual([]);
  for (const file of FILES.filter(isClient)) {
    const text = await Bun.file(join(ROOT, file)).text();
    const values = text.match(/^(?:import|export) (?!type )[^;]*'(?:\.\.\/)+server\/[^;]*;/gm) ?? [];
    const platform = text.match(/\bBun\b|\bprocess\.|\bBuffer\b|'(?:bun|node):/g) ?? [];
    expect({ file, values, platform }).toEqual({ file, values: [], platform: [] });
  }
});

test('the studio only imports types from the service, and values only from the client', async () => {
  const files = FILES.filter((file) => file.startsWith('studio/'));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = await Bun.file(join(ROOT, file)).text();
    const imports = text.match(/^(?:import|export) (?!type )[^;]*?'\.[^']+';/gm) ?? [];
    // The studio has folders of the same names.
    const values = imports.filter((line) =>
      /^(?:state|prompts|graphs|runtime|server|settings|cli|tools|evals)\//.test(
        join(dirname(file), /'([^']+)';$/.exec(line)?.[1] ?? ''),
      ),
    );
    const platform = text.match(/\bBun\b|\bprocess\.|\bBuffer\b|'(?:bun|node):/g) ?? [];
    expect({ file, values, platform }).toEqual({ file, values: [], platform: [] });
  }
});

/** Packing code never runs in a browser. */
function isClient(file: string): boolean {
  return file.startsWith('client/') && !file.startsWith('client/packing/');
}

/** A folder of a layer, or a file directly in it. */
function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

function isCyclic(start: string, next: (one: string) => Iterable<string>): boolean {
  const seen = new Set<string>();
  const queue = [...next(start)];
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
    if (one === start) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    queue.push(...next(one));
  }
  return false;
}
