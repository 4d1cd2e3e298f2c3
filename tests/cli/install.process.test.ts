/** The messages if packages cannot be installed, or if `skein` is not started by a recent Bun. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { spawnProcess } from '../support/process.ts';

const CLI = join(import.meta.dir, '..', '..', 'cli');
const root = mkdtempSync(join(tmpdir(), 'skein-install-'));
let folders = 0;
let folder = root;
beforeEach(() => {
  folder = join(root, String(folders++));
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  copyFileSync(join(CLI, 'install.ts'), join(folder, 'scripts', 'install.ts'));
});
afterAll(() => rmSync(root, { recursive: true }));

interface Package {
  engines?: { bun: string };
  dependencies?: Record<string, string>;
}

/** Runs with an empty home and an empty cache. */
async function install(made: Package, { env = {}, flags = [] as string[] } = {}) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { bun: '>=1.4.5' }, ...made }));
  return run([process.execPath, 'scripts/install.ts', ...flags], {
    HOME: folder,
    BUN_INSTALL_CACHE_DIR: join(folder, 'cache'),
    ...env,
  });
}

async function run(command: string[], env: Record<string, string> = {}) {
  const child = spawnProcess(command, folder, env);
  await Promise.all([Array.fromAsync(child.lines), child.errors]);
  return { code: await child.exited, output: child.output() };
}

const WANTED = { dependencies: { 'some-package': '1.0.0' } };
const NOT_REACHABLE =
  /could not be installed: the package registry is unreachable \(\w+\); check the network/;

describe('an install', () => {
  test('with nothing to do prints nothing', async () => {
    mkdirSync(join(folder, 'node_modules'));
    expect(await install({})).toEqual({ code: 0, output: '' });
  });

  test('with an old Bun says which version it needs', async () => {
    const { code, output } = await install({ engines: { bun: '>=99.1.0' } });
    expect(code).toBe(1);
    expect(output).toBe(
      `Bun 99.1.0 or newer is required, and this is Bun ${Bun.version}: run "bun upgrade", or use "npx --yes bun@99.1.0" instead of "bun".\n`,
    );
  });

  test('compares versions by their numbers', async () => {
    mkdirSync(join(folder, 'node_modules'));
    for (const bun of ['>=1.4', '>=1.0.99', `>=${Bun.version}`, '>=0.99.99'])
      expect([bun, await install({ engines: { bun } })]).toEqual([bun, { code: 0, output: '' }]);
  });

  test('with an unreachable registry says so', async () => {
    const { code, output } = await install(WANTED, { env: { NPM_CONFIG_REGISTRY: 'http://127.0.0.1:1/' } });
    expect(code).toBe(1);
    expect(output).toStartWith('Installing packages ...\n');
    expect(output).toMatch(NOT_REACHABLE);
    expect(output.split('\n').length).toBe(3);
  }, 60_000);

  test('behind a proxy that rejects requests says what to check', async () => {
    const proxy = 'http://127.0.0.1:1';
    const { code, output } = await install(WANTED, { env: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } });
    expect(code).toBe(1);
    expect(output).toMatch(NOT_REACHABLE);
    expect(output).toContain('HTTPS_PROXY');
  }, 60_000);

  test('with a registry that rejects requests shows its response', async () => {
    await using registry = Bun.serve({ port: 0, fetch: () => new Response('no', { status: 403 }) });
    const { code, output } = await install(WANTED, { env: { NPM_CONFIG_REGISTRY: `${registry.url}` } });
    expect(code).toBe(1);
    expect(output).toContain(
      `the package registry rejected the request (${registry.url}some-package - 403); check`,
    );
  }, 60_000);

  test('with a lock file of another package.json says how to renew it', async () => {
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'package.json'), '{"name": "a", "version": "1.0.0"}');
    expect((await install({ dependencies: { a: './a' } })).code).toBe(0);
    const { code, output } = await install({}, { flags: ['--frozen-lockfile'] });
    expect(code).toBe(1);
    expect(output).toBe(
      'The packages could not be installed: bun.lock does not match package.json; run "bun install" to update it.\n',
    );
  }, 60_000);

  test.skipIf(process.getuid?.() === 0)(
    "into a folder that isn't writable says so",
    async () => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify(WANTED));
      chmodSync(folder, 0o555);
      const { code, output } = await run([process.execPath, 'scripts/install.ts']);
      chmodSync(folder, 0o755);
      expect(code).toBe(1);
      expect(output).toContain('a folder is not writable');
    },
    60_000,
  );
});

const NODE = Bun.which('node') ?? '';
const SAID =
  'skein runs on Bun, and this is Node.js: install Bun 1.4.5 or newer, or run npx --yes bun@1.4.5 ';

describe.skipIf(NODE === '')('without Bun', () => {
  test('Node.js prints how to start skein', async () => {
    const { code, output } = await run([NODE, join(CLI, 'skein.js'), 'serve']);
    expect(code).toBe(1);
    expect(output).toBe(`${SAID}--no-env-file ${join(CLI, 'skein.js')} serve\n`);
  });

  test('the command that a package manager links prints it too', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(NODE, join(bin, 'node'));
    symlinkSync(join(CLI, 'skein.js'), join(bin, 'skein'));
    const { code, output } = await run([join(bin, 'skein'), 'serve'], { PATH: bin });
    expect(code).toBe(1);
    expect(output).toStartWith(SAID);
    expect(output.split('\n').length).toBe(2);
  });
});

test('the command that a package manager links runs on the installed Bun', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'bun'));
  symlinkSync(join(CLI, 'skein.js'), join(bin, 'skein'));
  const { code, output } = await run([join(bin, 'skein'), 'version'], { PATH: bin });
  expect([code, output]).toEqual([0, `${packageJson.version}\n`]);
});
