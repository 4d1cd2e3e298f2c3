/** The style sheet of a first visit has the styles of every component of the first page. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const STUDIO = join(import.meta.dir, '../../studio');
const SHEET = join(STUDIO, 'styles/first-sight.css');

/** The sheets that a module imports, and those of the modules that it imports. */
function sheetsOf(module: string, seen: Set<string>): string[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const imports = readFileSync(module, 'utf8').matchAll(/^(?:import|export) (?!type)[^;]*?'(\.[^']+)';/gm);
  return [...imports].flatMap(([, path = '']) => {
    const file = join(dirname(module), path);
    return file.endsWith('.css') ? [file] : sheetsOf(file, seen);
  });
}

test('the inlined CSS has every style sheet that the first page imports', () => {
  const had = [...readFileSync(SHEET, 'utf8').matchAll(/@import "([^"]+)"/g)].map(([, path = '']) =>
    join(dirname(SHEET), path),
  );
  const seen = new Set<string>();
  const needed = ['main.tsx', 'chat/chat-page.tsx'].flatMap((entry) => sheetsOf(join(STUDIO, entry), seen));
  expect(seen.size).toBeGreaterThan(40);
  expect(needed.filter((file) => !had.includes(file)).map((file) => relative(STUDIO, file))).toEqual([]);
});
