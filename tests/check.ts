/**
 * What must pass: `bun tests/check.ts [quick | changed | postgresql | full]`. Ends with the counts.
 *
 * - without an argument: everything you need to trust a change; the README's command
 * - `quick`: the checks that read the code, and the tests that start no process
 * - `changed [ref]`: the same checks, and the tests that depend on uncommitted changes, or on changes since `ref`
 * - `postgresql`: the same checks, and the tests of services and of states with the state on PostgreSQL
 * - `full`: the same checks, only the long tests, which the others leave out, and properties for thousands of inputs
 *
 * The tests share one PostgreSQL server, where it is installed. A file whose tests fail beside the others runs once more when
 * nothing else does: the tests wait for real processes, and a machine that is busy with something else can make them late.
 * What passes then is counted as passed, and named as flaky. Random tests take the same seed again, SKEIN_TEST_SEED.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms, makeServer } from './support/database-server.ts';
import { POSTGRES_SERVER, urlOf } from './support/postgres-server.ts';

interface Step {
  name: string;
  command: string[];
  /** How the runner says how many passed and failed; a step without counts as one. */
  passed?: RegExp;
  failed?: RegExp;
  env?: Record<string, string>;
  /** The step that runs these test files alone. */
  alone?(files: string[]): Step;
}

const ROOT = join(import.meta.dir, '..');
const PROCESS_TESTS = '**/*.process.test.ts';
const LONG_TESTS = '**/*.long.test.ts';

/** More of them than this are not late, but broken. */
const MAX_FLAKY_FILES = 3;

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 2 ** 30;

const bin = (name: string) => join('node_modules', '.bin', name);

const READING: Step[] = [
  { name: 'format and lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: types('.') },
  { name: 'types of the studio', command: types('studio') },
  {
    name: 'unused files, exports and dependencies',
    command: [bin('knip'), '--no-progress', '--treat-config-hints-as-errors'],
  },
];
const SAVER: Step = {
  name: 'checkpointer validation',
  command: [process.execPath, '--bun', bin('vitest'), 'run', '--reporter=dot', '--no-color'],
  passed: /Tests .*?(\d+) passed/,
  failed: /Tests .*?(\d+) failed/,
};

/** What starts services or opens states. */
const ON_POSTGRES: Step = {
  ...tests('tests on PostgreSQL', ['tests/server', 'tests/faults', 'tests/state', ignoring(LONG_TESTS)]),
  env: { SKEIN_TEST_STATE: 'postgresql' },
};

/** Properties for many more inputs than `everything` generates. */
const MANY_INPUTS: Step = {
  ...tests('generated inputs', ['.fuzz.test.ts']),
  env: { SKEIN_TEST_CASES: '5000' },
};

/** What runs side by side, each in turn. */
const MODES: Record<string, (ref: string | undefined) => Step[][]> = {
  everything: () => [[tests('tests', [ignoring(LONG_TESTS)])], [SAVER]],
  quick: () => [
    [tests('tests without processes', [ignoring(LONG_TESTS), ignoring(PROCESS_TESTS), ...NO_PROCESSES])],
  ],
  changed: (ref) => [
    [
      tests('tests of what changed', [
        ref === undefined ? '--changed' : `--changed=${ref}`,
        ignoring(LONG_TESTS),
        '--pass-with-no-tests',
      ]),
    ],
  ],
  postgresql: () => [[ON_POSTGRES]],
  full: () => [[tests('long tests', ['.long.test.ts']), MANY_INPUTS]],
};

/** Makes a test fail if it starts a process. */
const NO_PROCESSES = ['--preload', './tests/support/no-processes.ts'];

/** What it found is kept for the next time. With more threads than one it works half as much again, and the tests need those. */
function types(project: string): string[] {
  const kept = join('node_modules', '.cache', 'tsc', `${project === '.' ? 'root' : project}.tsbuildinfo`);
  return [bin('tsc'), '--project', project, '--singleThreaded', '--incremental', '--tsBuildInfoFile', kept];
}

/**
 * Files run side by side, each with folders and ports of its own: two for each core, since most wait for processes (three
 * gain nothing). The files of a worker share its modules, which saves a quarter of a second each.
 */
function tests(name: string, args: string[]): Step {
  const workers = 2 * navigator.hardwareConcurrency;
  return {
    name,
    command: [
      ...[process.execPath, 'test', `--parallel=${workers}`, '--no-isolate', '--timings=tests/timings.json'],
      ...['--only-failures', '--timeout=60000', ...args],
    ],
    passed: /^ *(\d+) pass$/m,
    failed: /^ *(\d+) fail$/m,
    alone: (files) => ({
      name: `once more: ${files.join(' ')}`,
      command: [process.execPath, 'test', '--only-failures', '--timeout=60000', ...files],
      passed: /^ *(\d+) pass$/m,
      failed: /^ *(\d+) fail$/m,
    }),
  };
}

function ignoring(pattern: string): string {
  return `--path-ignore-patterns=${pattern}`;
}

const [mode = 'everything', ref] = process.argv.slice(2);
const lanes = MODES[mode]?.(ref);
if (!lanes) {
  console.error(`unknown: ${mode}. One of: ${Object.keys(MODES).join(', ')}`);
  process.exit(2);
}

process.env.SKEIN_TEST_SEED ??= String(Date.now() % 1_000_000);
console.log(`SKEIN_TEST_SEED=${process.env.SKEIN_TEST_SEED}`);

const temporary = temporaryFolder();
const server = await postgresServer();
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let passed = 0;
let failed = 0;
const late: { step: Step; files: string[]; failed: number }[] = [];
// The checks run beside the tests, which wait now and then.
await Promise.all([inTurn(READING), ...lanes.map(inTurn)]);
for (const one of late) await onceMore(one);
await server?.remove();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function inTurn(steps: Step[]): Promise<void> {
  for (const step of steps) {
    if (step === ON_POSTGRES && server === undefined) continue;
    const { output, good, bad } = await counted(step);
    passed += good;
    failed += bad;
    const files = bad > 0 && step.alone ? filesThatFailed(output) : [];
    if (files.length > 0 && files.length <= MAX_FLAKY_FILES) late.push({ step, files, failed: bad });
  }
}

/** What passes now had failed for want of time. */
async function onceMore({ step, files, failed: before }: (typeof late)[number]): Promise<void> {
  if (!step.alone) return;
  const again = await counted({ ...step.alone(files), env: step.env });
  const still = Math.min(again.bad, before);
  passed += before - still;
  failed -= before - still;
  if (still < before)
    console.log(`flaky: ${before - still} passed when run once more, in ${files.join(' ')}`);
}

async function counted(step: Step): Promise<{ output: string; good: number; bad: number }> {
  const started = performance.now();
  const { ok, output } = await run(step);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`== ${step.name}: ${ok ? 'passed' : 'FAILED'} in ${seconds} s`);
  return {
    output,
    good: count(step.passed, output) ?? Number(ok),
    // A runner that fails without a count of failures counts as one failure.
    bad: count(step.failed, output) || Number(!ok),
  };
}

/** The files under whose name the runner has shown a failed test. */
function filesThatFailed(output: string): string[] {
  const failing = new Set<string>();
  let file: string | undefined;
  for (const line of output.split('\n')) {
    file = /^(tests\/\S+\.test\.tsx?):$/.exec(line)?.[1] ?? file;
    if (file !== undefined && line.startsWith('(fail)')) failing.add(file);
  }
  return [...failing];
}

async function run({ command, env: own }: Step): Promise<{ ok: boolean; output: string }> {
  const shared = server && { SKEIN_TEST_POSTGRES: server.url };
  const env = { ...process.env, TMPDIR: temporary, ...shared, ...own };
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    pass(child.stdout, process.stdout),
    pass(child.stderr, process.stderr),
  ]);
  return { ok: (await child.exited) === 0, output: out + err };
}

async function pass(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  let text = '';
  for await (const piece of from) {
    to.write(piece);
    text += new TextDecoder().decode(piece);
  }
  return text;
}

function count(pattern: RegExp | undefined, output: string): number | undefined {
  const found = pattern?.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The one that is named, or a new one; undefined where PostgreSQL is not installed, which is said. */
async function postgresServer(): Promise<{ url: string; remove(): Promise<void> } | undefined> {
  const named = process.env.SKEIN_TEST_POSTGRES;
  if (named !== undefined) return { url: named, remove: async () => {} };
  const programs = findPrograms(POSTGRES_SERVER);
  if (programs === undefined) return undefined;
  process.env.TMPDIR = temporary;
  const { port, start, remove } = await makeServer(POSTGRES_SERVER, programs);
  process.once('exit', () => void remove());
  await start();
  return { url: urlOf(port), remove };
}

/** In memory where there is room, unless TMPDIR says otherwise: a commit to a disk is what most tests would wait for. */
function temporaryFolder(): string {
  const parent = process.env.TMPDIR === undefined && hasRoom(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(parent, 'skein-tests-'));
  // The database servers of the tests run as nobody.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}
