/** The files whose coverage is measured, and their instrumented text. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FileCoverageData } from 'istanbul-lib-coverage';
import { createInstrumenter } from 'istanbul-lib-instrument';

export const ROOT = join(import.meta.dir, '..', '..');

const FOLDERS = '(cli|client|graphs|prompts|runtime|server|settings|state|tools)';

/** Absolute paths. */
export const MEASURED = new RegExp(`^${RegExp.escape(ROOT)}/${FOLDERS}/(?!template/).*(?<!\\.d)\\.ts$`);

/** The name of the global with the counts. */
export const COUNTS = '__skein_coverage__';

const instrumenter = createInstrumenter({
  esModules: true,
  compact: false,
  coverageVariable: COUNTS,
  parserPlugins: ['typescript'],
});

export function instrumented(path: string, source = readFileSync(path, 'utf8')): string {
  return instrumenter.instrumentSync(source, relative(ROOT, path));
}

/** The counts of a file that nothing has loaded: zeros. */
export function untouched(path: string): FileCoverageData {
  instrumented(path);
  return instrumenter.lastFileCoverage() as unknown as FileCoverageData;
}
