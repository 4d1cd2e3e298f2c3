/** Installs packages before a start, quietly, and explains a failure in a sentence. Imports no package and runs on any Bun. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dir, '..');
const NOTE_MS = 20_000;

/** The advice if this Bun is older than `engines` in package.json requires. */
export function oldBun(): string | undefined {
  const { engines } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const wanted = /[\d.]+/.exec(engines?.bun)?.[0] ?? '';
  if (isAtLeast(Bun.version, wanted)) return undefined;
  return `Bun ${wanted} or newer is required, and this is Bun ${Bun.version}: run "bun upgrade", or use "npx --yes bun@${wanted}" instead of "bun".`;
}

function isAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((each) => each.split(/\D+/).map(Number));
  for (const [at, number] of (need ?? []).entries()) {
    const own = have?.[at] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

/** Returns the exit code. */
async function install(flags: string[]): Promise<number> {
  const old = oldBun();
  if (old !== undefined) return failed(old);
  if (!existsSync(join(PROJECT, 'node_modules'))) console.error('Installing packages ...');
  const child = Bun.spawn([process.execPath, 'install', ...flags], {
    cwd: PROJECT,
    // By default, Bun silently retries an unresponsive registry for many minutes.
    env: { BUN_CONFIG_HTTP_IDLE_TIMEOUT: '20', BUN_CONFIG_HTTP_RETRY_COUNT: '2', ...process.env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const note = setTimeout(
    () => console.error(`Still installing. If it takes too long: ${CHECK_NETWORK}`),
    NOTE_MS,
  );
  const stderr = await new Response(child.stderr).text();
  clearTimeout(note);
  if ((await child.exited) === 0) return 0;
  return failed(`The packages could not be installed: ${reasonIn(stderr)}`);
}

function failed(message: string): number {
  console.error(message);
  return 1;
}

const CHECK_NETWORK = 'check the network and, if set, HTTPS_PROXY, HTTP_PROXY and NPM_CONFIG_REGISTRY.';

const REASONS: [RegExp, (found: string) => string][] = [
  [/lockfile is frozen/, () => 'bun.lock does not match package.json; run "bun install" to update it.'],
  [/ENOSPC|NoSpaceLeft/i, () => 'the disk is full; free some space and try again.'],
  [
    /EACCES|EROFS|EPERM|AccessDenied|ReadOnlyFileSystem|Permission denied/i,
    (found) => `a folder is not writable (${found}); check ${PROJECT} and Bun's cache folder.`,
  ],
  [/(?<=GET )\S+ - \d+/, (found) => `the package registry rejected the request (${found}); ${CHECK_NETWORK}`],
  [
    /\w+(?: \(\d+\))?(?= downloading )/,
    (found) => `the package registry is unreachable (${found}); ${CHECK_NETWORK}`,
  ],
];

/** Bun repeats the same error for hundreds of packages, so only the first match counts. */
function reasonIn(stderr: string): string {
  for (const [pattern, sentence] of REASONS) {
    const found = pattern.exec(stderr)?.[0];
    if (found !== undefined) return sentence(found);
  }
  const line = /^error: (.+)/m.exec(stderr)?.[1] ?? 'Bun gives no reason';
  return `${line}; run "bun install" for details.`;
}

if (import.meta.main) process.exitCode = await install(process.argv.slice(2));
