/** docs/tutorial.md: runs every command in a new folder, writes every file, and compares every output with the page. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnProcess } from '../support/process.ts';
import { type Block, blocksOf, ROOT } from './pages.ts';

// It packs and installs Skein and starts services, on a machine that may be busy.
setDefaultTimeout(300_000);

/** Commands that are skipped, because the tests start in this checkout, which is installed. */
const CHECKOUT = 'cd skein\nbun install --frozen-lockfile\n';

const folder = mkdtempSync(join(tmpdir(), 'skein-tutorial-'));
const port = await freePort();
const env = {
  // The user's home folder has the package cache.
  HOME: homedir(),
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  WEB_PORT: String(port),
  NO_COLOR: '1',
};
const blocks = await blocksOf('docs/tutorial.md');

let cwd = ROOT;
let lastOutput = '';
let service: ReturnType<typeof serve> | undefined;

afterAll(() => {
  service?.end();
  rmSync(folder, { recursive: true });
});

test('the page begins in a checkout, starts the service twice, and shows outputs', () => {
  expect(blocks[0]?.code).toStartWith(CHECKOUT);
  expect(blocks.filter(({ info }) => info === 'serve')).toHaveLength(2);
  expect(blocks.filter(({ language }) => language === 'text').length).toBeGreaterThan(7);
});

test('every step has the output that the page shows', async () => {
  for (const block of blocks) await follow(block);
});

test('the run after the change used the new version of the prompt', async () => {
  const response = await fetch(`http://localhost:${port}/api/v1/threads/ana/runs`);
  const { runs } = (await response.json()) as {
    runs: { agents: { agent: string; prompts: { version: number }[] }[] }[];
  };
  const versions = runs.map(
    ({ agents }) => agents.find(({ agent }) => agent === 'support_responder')?.prompts[0]?.version,
  );
  expect(versions[0]).toBe(1);
  expect(versions.at(-1)).toBe(0);
});

test('the studio is at the address that the page names', async () => {
  const response = await fetch(`http://localhost:${port}/studio`);
  expect(response.headers.get('content-type')).toStartWith('text/html');
});

test('an output that differs is found', () => {
  expect(matches('a\nb 3 c\n', 'a\nb [...] c')).toBe(true);
  expect(matches('a\nb 3 d\n', 'a\nb [...] c')).toBe(false);
  expect(matches('{"a":1,"b":2}', '{"a":1,[...]}')).toBe(true);
  expect(matches('x', '')).toBe(false);
});

async function follow(block: Block): Promise<void> {
  const { language, info, code, line } = block;
  const at = `docs/tutorial.md:${line}`;
  if (language === 'ts') return write(code);
  if (language === 'text') {
    expect({ at, output: lastOutput, matches: matches(lastOutput, code) }).toMatchObject({
      at,
      matches: true,
    });
    return;
  }
  if (language !== 'sh') throw new Error(`${at}: the test does not know what to do with ${language}`);
  if (info === 'serve') {
    service?.end();
    await service?.exited;
    service = serve(asHere(code));
    lastOutput = await service.until((output) => /listening on .*\n/.test(output));
    return;
  }
  const { exit, output } = await shell(asHere(code));
  expect({ at, exit, output: exit === 0 ? '' : output }).toEqual({ at, exit: 0, output: '' });
  lastOutput = output;
}

/** The first line is the path of the file. A new workflow restarts the service. */
async function write(code: string): Promise<void> {
  const [, path = ''] = /^\/\/ (\S+)\n/.exec(code) ?? [];
  const starts = service?.starts() ?? 0;
  await Bun.write(join(cwd, path), code);
  if (path.startsWith('graphs/')) await service?.until(() => (service?.starts() ?? 0) > starts);
}

function asHere(code: string): string {
  return code
    .replace(CHECKOUT, `cd '${ROOT}'\n`)
    .replaceAll('../ferries', join(folder, 'ferries'))
    .replaceAll('localhost:8080', `localhost:${port}`);
}

/** The next commands start in the folder in which these end. */
async function shell(code: string): Promise<{ exit: number | null; output: string }> {
  const place = join(folder, 'place');
  const child = spawnProcess(['bash', '-ec', `{ ${code}\n} 2>&1; pwd > '${place}'`], cwd, env);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  const exit = await child.exited;
  if (exit === 0) cwd = (await Bun.file(place).text()).trim();
  return { exit, output: child.output() };
}

/** Starts the process in a separate process group, so the whole group can be killed. */
function serve(code: string) {
  const child = spawnProcess(['bash', '-ec', code], cwd, env, { detached: true });
  const lines = child.lines[Symbol.asyncIterator]();
  return {
    exited: child.exited,
    end: () => child.killGroup('SIGKILL'),
    starts: () => child.output().split('listening on').length - 1,
    /** Resolves with the output so far. */
    async until(isSo: (output: string) => boolean): Promise<string> {
      while (!isSo(child.output()))
        if ((await lines.next()).done) throw new Error(`the service ended:\n${child.output()}`);
      return child.output();
    },
  };
}

/** The expected text must be part of the output; `[...]` in it matches anything. */
function matches(output: string, expected: string): boolean {
  const plain = output
    .replaceAll(`localhost:${port}`, 'localhost:8080')
    .replaceAll(join(folder, 'ferries'), '../ferries');
  const parts = expected.trim().split('[...]').map(RegExp.escape);
  return expected.trim() !== '' && new RegExp(parts.join('[\\s\\S]*?')).test(plain);
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, fetch: () => new Response() });
  const free = server.port;
  await server.stop(true);
  if (free === undefined) throw new Error('there is no free port');
  return free;
}
