/**
 * Which lines, functions and branches the tests run: `bun run coverage [test files or folders]`, by default all tests that start no
 * process. Prints a table by folder, and one of the areas where a mistake costs most; with `--missing`, also the branches of those
 * areas that no test takes. Slower than the tests alone, and nothing fails: figures are for people.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CoverageMap,
  createCoverageMap,
  createCoverageSummary,
  type FileCoverage,
} from 'istanbul-lib-coverage';

const ROOT = join(import.meta.dir, '..');
const LONG = '--path-ignore-patterns=**/*.long.test.ts';
const PROCESSES = '--path-ignore-patterns=**/*.process.test.ts';

const AREAS: Record<string, RegExp> = {
  authentication: /^server\/authentication\//,
  names: /^(prompts\/names|server\/http\/thread-id|runtime\/datasets\/names|state\/items\/bounds)\.ts$/,
  'SQL guard': /^tools\/sql\/(guard\/|quote\.ts)/,
  saver: /^state\/(sqlite|postgres|driver)\/checkpoints\/|^state\/serializer\.ts$/,
  coordination: /^state\/(coordination|lease)\.ts$|^state\/(sqlite|postgres)\/runs\//,
  runtime: /^runtime\//,
};

const given = process.argv.slice(2);
const showsMissing = given.includes('--missing');
const files = given.filter((one) => !one.startsWith('--'));
const counts = mkdtempSync(join(tmpdir(), 'skein-coverage-'));
process.once('exit', () => rmSync(counts, { recursive: true, force: true }));

const child = Bun.spawn(
  [
    ...[
      process.execPath,
      'test',
      '--preload',
      './tests/support/instrument.ts',
      '--no-isolate',
      '--only-failures',
    ],
    ...['--timeout=120000', LONG, ...(files.length > 0 ? files : [PROCESSES])],
  ],
  { cwd: ROOT, env: { ...process.env, SKEIN_COVERAGE: counts }, stdout: 'inherit', stderr: 'inherit' },
);
await child.exited;

const map = createCoverageMap({});
for (const name of readdirSync(counts)) map.merge(JSON.parse(readFileSync(join(counts, name), 'utf8')));
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
