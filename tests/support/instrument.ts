/**
 * Preloaded by `tests/coverage.ts`: counts which statements, functions and branches of the project run, which Bun's own coverage
 * does for lines and functions only. Writes the counts to SKEIN_COVERAGE at the process's end; one that is killed writes none.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInstrumenter } from 'istanbul-lib-instrument';

const ROOT = join(import.meta.dir, '..', '..');
const KEPT = join(ROOT, 'node_modules', '.cache', 'skein', 'instrumented');
const COUNTS = process.env.SKEIN_COVERAGE ?? join(KEPT, 'counts');
const MEASURED = new RegExp(
  `^${RegExp.escape(ROOT)}/(cli|client|graphs|prompts|runtime|server|settings|state|tools)/(?!template|commands/init/templates).*\\.ts$`,
);

const instrumenter = createInstrumenter({
  esModules: true,
  compact: false,
  coverageVariable: '__skein_coverage__',
  parserPlugins: ['typescript'],
});

mkdirSync(KEPT, { recursive: true });
mkdirSync(COUNTS, { recursive: true });

Bun.plugin({
  name: 'coverage',
  setup(build) {
    build.onLoad({ filter: MEASURED }, ({ path }) => ({ contents: instrumented(path), loader: 'ts' }));
  },
});

/** Instrumenting takes longer than running most files, so the result is kept by its content. */
function instrumented(path: string): string {
  const source = readFileSync(path, 'utf8');
  const kept = join(KEPT, `${Bun.hash(`${path}\n${source}`).toString(36)}.ts`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const text = instrumenter.instrumentSync(source, relative(ROOT, path));
  writeFileSync(kept, text);
  return text;
}

/** The counts of this process so far. */
function write(): void {
  const counts = (globalThis as { __skein_coverage__?: object }).__skein_coverage__;
  if (counts) writeFileSync(join(COUNTS, `${process.pid}.json`), JSON.stringify(counts));
}

// Bun's test runner emits no `exit`.
process.on('exit', write);
if (process.env.NODE_ENV === 'test') (await import('bun:test')).afterAll(write);
