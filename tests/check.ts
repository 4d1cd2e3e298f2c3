/**
 * Runs all checks: `bun tests/check.ts [quick | changed | postgresql | full]`. Prints the counts at the end.
 *
 * - without an argument: everything you need to trust a change; this is the command in the README
 * - `quick`: the checks that read the code, and the tests that start no process
 * - `changed [ref]`: the same checks, and the tests that depend on uncommitted changes, or on changes since `ref`
 * - `postgresql`: the same checks, and the tests of services and state with the state on PostgreSQL
 * - `full`: the same checks, the long tests, which the other modes leave out, and properties with thousands of inputs
 *
 * The tests share one PostgreSQL server, if PostgreSQL is installed. If a file fails while others run, it runs again alone: the
 * tests wait for real processes, and a busy machine can make them miss their time limits. Tests that pass the second time count
 * as passed and are reported as flaky. Randomised tests use the same seed again, SKEIN_TEST_SEED.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms, makeServer } from './support/database-server.ts';
import { POSTGRES_SERVER, urlOf } from './support/postgres-server.ts';

interface Step {
  name: string;
  command: string[];
  /** Match the number of passed and failed tests in the output. A step without them counts as one test. */
  passed?: RegExp;
  failed?: RegExp;
  env?: Record<string, string>;
  /** Returns a step that runs only these test files. */
  alone?(files: string[]): Step;
}

const ROOT = join(import.meta.dir, '..');
const PROCESS_TESTS = '**/*.process.test.ts';
const LONG_TESTS = '**/*.long.test.ts';

/** If more files fail, the cause is not a busy machine, so they don't run again. */
const MAX_FLAKY_FILES = 3;

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 * 2 ** 30;

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

/** The tests that start services or open state. */
const ON_POSTGRES: Step = {
  ...tests('tests on PostgreSQL', ['tests/server', 'tests/faults', 'tests/state', ignoring(LONG_TESTS)]),
  env: { SKEIN_TEST_STATE: 'postgresql' },
};

/** Properties for many more inputs than `everything` generates. */
const MANY_INPUTS: Step = {
  ...tests('generated inputs', ['.fuzz.test.ts']),
  env: { SKEIN_TEST_CASES: '5000' },
};

/** The lists run in parallel; the steps of a list run in sequence. */
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

/** Results are cached for the next check. Several threads would take 50 % more processor time, which the tests need. */
function types(project: string): string[] {
  const cache = join('node_modules', '.cache', 'tsc', `${project === '.' ? 'root' : project}.tsbuildinfo`);
  return [bin('tsc'), '--project', project, '--singleThreaded', '--incremental', '--tsBuildInfoFile', cache];
}

/**
 * Files run in parallel, each with its own folders and ports: two per core, because most of them wait for processes (three are
 * not faster). The files of a worker share its modules, which saves a quarter of a second per file.
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
      name: `again: ${files.join(' ')}`,
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
// The checks run in parallel with the tests, which often wait.
await Promise.all([inTurn(READING), ...lanes.map(inTurn)]);
for (const failure of late) await runAgain(failure);
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

/** Runs the failed files again, and counts those that pass now as passed. */
async function runAgain({ step, files, failed: before }: (typeof late)[number]): Promise<void> {
  if (!step.alone) return;
  const again = await counted({ ...step.alone(files), env: step.env });
  const still = Math.min(again.bad, before);
  passed += before - still;
  failed -= before - still;
  if (still < before) console.log(`flaky: ${before - still} passed when run again, in ${files.join(' ')}`);
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

/** The files with a failed test in the runner's output. */
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

/** The server that SKEIN_TEST_POSTGRES names, or a new one; undefined if PostgreSQL is not installed. */
async function postgresServer(): Promise<{ url: string; remove(): Promise<void> } | undefined> {
  const named = process.env.SKEIN_TEST_POSTGRES;
  if (named !== undefined) return { url: named, remove: async () => {} };
  const programs = findPrograms(POSTGRES_SERVER);
  if (programs === undefined) return undefined;
  process.env.TMPDIR = temporary;
  const { port, start, remove } = await makeServer(POSTGRES_SERVER, programs);
  await start();
  return { url: urlOf(port), remove };
}

/** In memory if there is space and TMPDIR is not set, because most tests would otherwise wait for commits to disk. */
function temporaryFolder(): string {
  const parent = process.env.TMPDIR === undefined && hasSpace(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(parent, 'skein-tests-'));
  // The database servers of the tests run as user nobody.
  chmodSync(folder, 0o711);
  return folder;
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > NEEDED_BYTES;
  } catch {
    return false;
  }
}
