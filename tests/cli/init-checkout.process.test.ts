/** `skein init` in a checkout with a developer's own files, which are not copied. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import skein from '../../package.json';
import { spawnProcess } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'skein-init-checkout-'));
const checkout = join(folder, 'checkout');
const project = join(folder, 'project');
afterAll(() => rmSync(folder, { recursive: true }));

/** Files by their paths in the checkout. */
const THEIRS = {
  'graphs/mine/graph.ts': "export default 'canary';",
  'graphs/mine/data.csv': 'canary',
  'graphs/discovery/.env': 'KEY=canary',
  'cli/template/react-agent/.env': 'KEY=canary',
  'cli/template/react-agent/.files/state.db': 'canary',
  'cli/template/react-agent/node_modules/canary/index.js': '',
};

beforeAll(async () => {
  for (const name of ['package.json', ...skein.files].filter((name) => existsSync(join(ROOT, name))))
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  for (const [name, text] of Object.entries(THEIRS)) await Bun.write(join(checkout, name), text);
  mkdirSync(project);
  const main = join(checkout, 'cli/main.ts');
  const command = [
    process.execPath,
    '--no-env-file',
    main,
    'init',
    '.',
    '--yes',
    '--template',
    'react-agent',
  ];
  const child = spawnProcess(command, project, { HOME: folder });
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect({ code: await child.exited, output: child.output() }).toMatchObject({ code: 0 });
}, 60_000);

test("the package has all files of the core, and none of the developer's", async () => {
  const [archive = ''] = readdirSync(join(project, 'vendor'));
  const packed = await new Bun.Archive(readFileSync(join(project, 'vendor', archive))).files();
  const names = [...packed.keys()].map((name) => name.replace('package/', ''));
  expect(names.filter((name) => name in THEIRS)).toEqual([]);
  const graphs = names.filter((name) => name.startsWith('graphs/')).map((name) => name.split('/')[1]);
  const ours = readdirSync(join(checkout, 'graphs')).filter((name) => name !== 'mine');
  expect([...new Set(graphs)].toSorted()).toEqual(ours.toSorted());
});

test('the project has the files of its template, and settings only for its workflows', () => {
  expect(readdirSync(join(project, 'graphs'))).toEqual(['react-agent']);
  for (const name of ['.env', '.files', 'node_modules']) expect(existsSync(join(project, name))).toBe(false);
  const settings = readFileSync(join(project, 'config.yml'), 'utf8');
  expect(settings).toContain('sql-manipulation-agent:');
  expect(settings).not.toContain('mine:');
});

test('all files that a graph may import are in the list of packed files', () => {
  const graphs = skein.files.filter((name) => name.startsWith('graphs/'));
  expect(graphs).toEqual(
    readdirSync(join(ROOT, 'graphs'))
      .map((name) => `graphs/${name}`)
      .toSorted(),
  );
});
