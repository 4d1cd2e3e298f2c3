/**
 * Preloaded by `tests/coverage.ts`: counts which statements, functions and branches of the project run, which Bun's own coverage
 * does for lines and functions only. Writes the counts to SKEIN_COVERAGE every second, and at the process's end.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTS, instrumented, MEASURED, ROOT } from './measured.ts';

const CACHE = join(ROOT, 'node_modules', '.cache', 'skein', 'instrumented');
const FOLDER = process.env.SKEIN_COVERAGE;
// Process ids are used again, and further runs add to the same folder.
const NAME = `${process.pid}-${Date.now().toString(36)}.json`;

mkdirSync(CACHE, { recursive: true });
if (FOLDER) mkdirSync(FOLDER, { recursive: true });

Bun.plugin({
  name: 'coverage',
  setup(build) {
    build.onLoad({ filter: MEASURED }, ({ path }) => ({ contents: keptText(path), loader: 'ts' }));
  },
});

/** Instrumenting takes longer than running most files, so the result is kept by its content. */
function keptText(path: string): string {
  const source = readFileSync(path, 'utf8');
  const cached = join(CACHE, `${Bun.hash(`${path}\n${source}`).toString(36)}.ts`);
  if (existsSync(cached)) return readFileSync(cached, 'utf8');
  const text = instrumented(path, source);
  writeWhole(cached, text);
  return text;
}

/** The counts of this process so far. */
function write(): void {
  const counts = (globalThis as Record<string, unknown>)[COUNTS];
  if (FOLDER && counts) writeWhole(join(FOLDER, NAME), JSON.stringify(counts));
}

/** Others read or write the same file. */
function writeWhole(path: string, text: string): void {
  const made = `${path}.${process.pid}`;
  writeFileSync(made, text);
  renameSync(made, path);
}

// Bun's test runner emits no `exit`, and a process may be killed.
process.on('exit', write);
setInterval(write, 1_000).unref();
if (process.env.NODE_ENV === 'test') (await import('bun:test')).afterAll(write);
