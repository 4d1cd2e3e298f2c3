/** The house's rule: imports go down, and never in a circle. */
import { expect, test } from 'bun:test';
import { dirname, join } from 'node:path';
import { FILES, floorOf, IMPORTS, ROOT } from './support/imports.ts';

test('there is something to check', () => {
  expect(FILES.length).toBeGreaterThan(50);
  expect([...IMPORTS.values()].flat().length).toBeGreaterThan(100);
});

test('imports only go down', () => {
  const upward = [...IMPORTS].flatMap(([file, imports]) =>
    imports.filter((target) => floorOf(target) > floorOf(file)).map((target) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

test('no import leads back to its file', () => {
  expect(FILES.filter((file) => leadsBack(file, (one) => IMPORTS.get(one) ?? []))).toEqual([]);
});

test('the rooms of a floor form no circle', () => {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imports] of IMPORTS)
    for (const target of imports)
      if (floorOf(target) === floorOf(file) && roomOf(target) !== roomOf(file))
        rooms.set(roomOf(file), (rooms.get(roomOf(file)) ?? new Set()).add(roomOf(target)));
  expect(rooms.size).toBeGreaterThan(50);
  expect([...rooms.keys()].filter((room) => leadsBack(room, (one) => rooms.get(one) ?? []))).toEqual([]);
});

test('nothing above state/ knows a driver, but the place that opens it', () => {
  const knowing = [...IMPORTS].flatMap(([file, imports]) =>
    imports.some((target) => /^state\/(sqlite|postgres)\//.test(target)) && !file.startsWith('state/')
      ? [file]
      : [],
  );
  expect(knowing).toEqual(['cli/service/drivers/open-state.ts']);
});

test('the client takes nothing but types from the service, and nothing from its platform', async () => {
  const taken = [...IMPORTS].flatMap(([file, imports]) =>
    isClient(file) ? imports.filter((target) => !target.startsWith('client/')) : [],
  );
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.filter((target) => !target.startsWith('server/'))).toEqual([]);
  for (const file of FILES.filter(isClient)) {
    const text = await Bun.file(join(ROOT, file)).text();
    const values = text.match(/^(?:import|export) (?!type )[^;]*'(?:\.\.\/)+server\/[^;]*;/gm) ?? [];
    const platform = text.match(/\bBun\b|\bprocess\.|\bBuffer\b|'(?:bun|node):/g) ?? [];
    expect({ file, values, platform }).toEqual({ file, values: [], platform: [] });
  }
});

test('the studio takes nothing but types from the service, and its values from the client alone', async () => {
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

/** What packs the client never runs in a browser. */
function isClient(file: string): boolean {
  return file.startsWith('client/') && !file.startsWith('client/packing/');
}

/** A folder of a floor, or a file that lies beside them. */
function roomOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

function leadsBack(start: string, next: (one: string) => Iterable<string>): boolean {
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
