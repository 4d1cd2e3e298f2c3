/** The environment variables of every process that a test starts, in addition to those of the test. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const BARE_ENVIRONMENT = {
  PATH: process.env.PATH,
  // Bun caches compiled files below HOME. With an empty HOME, starting takes a third longer.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(tmpdir(), 'skein-compiled'),
  ...measured(),
};

/** Under `bun run coverage`, processes count what they run as well. */
function measured(): Record<string, string> {
  const { SKEIN_COVERAGE } = process.env;
  if (SKEIN_COVERAGE === undefined) return {};
  return { SKEIN_COVERAGE, BUN_OPTIONS: `--preload ${join(import.meta.dir, 'instrument.ts')}` };
}
