/**
 * Measures which lines, functions and branches the tests cover: `bun run coverage [test files or folders]`, by default all tests
 * that start no process. Prints a table by folder, and one of the areas where a mistake costs most; with `--missing`, also the
 * branches of those areas that no test covers. Services that tests start are measured too, unless they are killed. SKEIN_COVERAGE
 * names a folder that keeps the counts, so that further runs add to them; `--report` only prints those counts. `--long` also runs
 * long tests. Slower than the tests alone; failed tests don't fail the command.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CoverageMap,
  createCoverageMap,
  createCoverageSummary,
  type FileCoverage,
  type FileCoverageData,
} from 'istanbul-lib-coverage';
import { MEASURED, ROOT, untouched } from './support/measured.ts';

const LONG = '--path-ignore-patterns=**/*.long.test.ts';
const PROCESSES = '--path-ignore-patterns=**/*.process.test.ts';

const AREAS: Record<string, RegExp> = {
  authentication: /^server\/authentication\//,
  names:
    /^(prompts\/names|server\/http\/schemas\/thread-id|runtime\/datasets\/names|state\/items\/bounds)\.ts$/,
  'SQL guard': /^tools\/sql\/(cloud\/guard\/|quote\.ts)/,
  saver: /^state\/(sqlite|postgres|driver)\/checkpoints\/|^state\/checkpoints\/serializer\.ts$/,
  coordination: /^state\/(threads\/coordination|cluster\/lease)\.ts$|^state\/(sqlite|postgres)\/runs\//,
  runtime: /^runtime\//,
};

const args = process.argv.slice(2);
const showsMissing = args.includes('--missing');
const ignored = args.includes('--long') ? [] : [LONG];
const files = args.filter((one) => !one.startsWith('--'));
const kept = process.env.SKEIN_COVERAGE;
const counts = kept ?? mkdtempSync(join(tmpdir(), 'skein-coverage-'));
if (kept === undefined) process.once('exit', () => rmSync(counts, { recursive: true, force: true }));

if (!args.includes('--report')) await runTests();

// A file that no test loads counts as well.
const map = createCoverageMap(
  Object.fromEntries(measuredFiles().map((path) => [path, untouched(join(ROOT, path))])),
);
for (const name of readdirSync(counts).filter((one) => one.endsWith('.json'))) add(join(counts, name));
const paths = map.files().sort();

table('folder', groupsOf(paths));
table(
  'area',
  Object.entries(AREAS).map(([name, pattern]) => ({
    name,
    paths: paths.filter((path) => pattern.test(path)),
  })),
);
if (showsMissing)
  for (const path of paths)
    if (Object.values(AREAS).some((one) => one.test(path))) missing(map.fileCoverageFor(path));
process.exit(0);

async function runTests(): Promise<void> {
  const preload = ['--preload', './tests/support/instrument.ts', '--no-isolate', '--only-failures'];
  const which = files.length > 0 ? files : [PROCESSES];
  const child = Bun.spawn([process.execPath, 'test', ...preload, '--timeout=120000', ...ignored, ...which], {
    cwd: ROOT,
    env: { ...process.env, SKEIN_COVERAGE: counts },
    stdout: 'inherit',
    stderr: 'inherit',
  });
  await child.exited;
}

/** Adds the counts of a process, without those of files that have changed since. */
function add(path: string): void {
  for (const file of Object.values<FileCoverageData>(JSON.parse(readFileSync(path, 'utf8')))) {
    const known = map.data[file.path] && map.fileCoverageFor(file.path).data;
    if (known && Bun.deepEquals([known.branchMap, known.fnMap], [file.branchMap, file.fnMap]))
      map.addFileCoverage(file);
  }
}

/** Paths from the root of the repository. */
function measuredFiles(): string[] {
  const files = [...new Bun.Glob('*/**/*.ts').scanSync({ cwd: ROOT })];
  return files.filter((path) => MEASURED.test(join(ROOT, path)));
}

interface Group {
  name: string;
  paths: string[];
}

function groupsOf(all: string[]): Group[] {
  const byFolder = Object.groupBy(all, (path) => path.split('/')[0] ?? '');
  return Object.entries(byFolder).map(([name, inside = []]) => ({ name, paths: inside }));
}

function table(title: string, groups: Group[]): void {
  console.log(
    `\n| ${title} | files | lines | functions | branches | branches not taken |\n|---|---|---|---|---|---|`,
  );
  for (const { name, paths: inside } of groups) console.log(rowOf(map, name, inside));
}

function rowOf(from: CoverageMap, name: string, inside: string[]): string {
  const sum = createCoverageSummary();
  for (const path of inside) sum.merge(from.fileCoverageFor(path).toSummary());
  const { lines, functions, branches } = sum;
  const figures = [lines, functions, branches].map(({ pct }) => `${pct} %`);
  return `| ${[name, inside.length, ...figures, branches.total - branches.covered].join(' | ')} |`;
}

/** `path:line kind` of each branch that was never taken. */
function missing(file: FileCoverage): void {
  const { b, branchMap, path } = file.data;
  for (const [id, taken] of Object.entries(b))
    for (const [at, count] of taken.entries()) {
      const branch = branchMap[id];
      const line = branch?.locations[at]?.start.line ?? branch?.loc.start.line;
      if (count === 0) console.log(`${path}:${line} ${branch?.type}`);
    }
}
