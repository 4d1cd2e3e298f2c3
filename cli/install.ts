/** Installs packages before a start, quietly, and explains a failure in a sentence. It imports no package and runs on any Bun. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dir, '..');
const NOTE_MS = 20_000;

/** What to do where this Bun is older than `engines` of package.json asks for. */
export function oldBun(): string | undefined {
  const { engines } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const wanted = /[\d.]+/.exec(engines?.bun)?.[0] ?? '';
  if (isAtLeast(Bun.version, wanted)) return undefined;
  return `This needs Bun ${wanted} or newer, and this is Bun ${Bun.version}: run "bun upgrade", or write "npx --yes bun@${wanted}" in place of "bun".`;
}

function isAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((each) => each.split(/\D+/).map(Number));
  for (const [at, number] of (need ?? []).entries()) {
    const own = have?.[at] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

/** Gives the exit code. */
async function install(flags: string[]): Promise<number> {
  const old = oldBun();
  if (old !== undefined) return failed(old);
  if (!existsSync(join(PROJECT, 'node_modules'))) console.error('Installing packages ...');
  const child = Bun.spawn([process.execPath, 'install', ...flags], {
    cwd: PROJECT,
    // By default Bun keeps trying an unresponsive registry for many minutes, without a word.
    env: { BUN_CONFIG_HTTP_IDLE_TIMEOUT: '20', BUN_CONFIG_HTTP_RETRY_COUNT: '2', ...process.env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const note = setTimeout(
    () => console.error(`Still installing. If this goes on: ${CHECK_NETWORK}`),
    NOTE_MS,
  );
  const said = await new Response(child.stderr).text();
  clearTimeout(note);
  if ((await child.exited) === 0) return 0;
  return failed(`The packages could not be installed: ${reasonIn(said)}`);
}

function failed(message: string): number {
  console.error(message);
  return 1;
}

const CHECK_NETWORK =
  'check the network and, where they are set, HTTPS_PROXY, HTTP_PROXY and NPM_CONFIG_REGISTRY.';

const REASONS: [RegExp, (found: string) => string][] = [
  [/lockfile is frozen/, () => 'bun.lock does not fit package.json; run "bun install", which updates it.'],
  [/ENOSPC|NoSpaceLeft/i, () => 'the disk is full; make room and try again.'],
  [
    /EACCES|EROFS|EPERM|AccessDenied|ReadOnlyFileSystem|Permission denied/i,
    (found) => `a folder cannot be written (${found}); look at ${PROJECT} and the folder of Bun's cache.`,
  ],
  [/(?<=GET )\S+ - \d+/, (found) => `the package registry refused (${found}); ${CHECK_NETWORK}`],
  [
    /\w+(?: \(\d+\))?(?= downloading )/,
    (found) => `the package registry is not reachable (${found}); ${CHECK_NETWORK}`,
  ],
];

/** Bun repeats the same error for hundreds of packages, so only the first match counts. */
function reasonIn(said: string): string {
  for (const [pattern, sentence] of REASONS) {
    const found = pattern.exec(said)?.[0];
    if (found !== undefined) return sentence(found);
  }
  const line = /^error: (.+)/m.exec(said)?.[1] ?? 'Bun gives no reason';
  return `${line}; run "bun install" for details.`;
}

if (import.meta.main) process.exitCode = await install(process.argv.slice(2));
