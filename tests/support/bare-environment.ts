/** What every process that a test starts has in its environment, beside what the test gives it. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const BARE_ENVIRONMENT = {
  PATH: process.env.PATH,
  // Bun keeps compiled files below HOME, where one of a test's own would begin empty each time: a third of a start.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(tmpdir(), 'skein-compiled'),
  ...measured(),
};

/** Under `bun run coverage`, processes count what they run as well. */
function measured(): Record<string, string> {
  const { SKEIN_COVERAGE } = process.env;
  if (SKEIN_COVERAGE === undefined) return {};
  return { SKEIN_COVERAGE, BUN_OPTIONS: `--preload ${join(import.meta.dir, 'instrument.ts')}` };
}
