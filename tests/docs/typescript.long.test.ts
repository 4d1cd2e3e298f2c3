/** The compiler checks the TypeScript of the documents, except for parts of files, which are marked `ts fragment`. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type Block, blocksOf, PAGES, ROOT } from './pages.ts';

// One run of the compiler over the service's own types, on a machine that may be busy.
setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    rootDirs: [],
    types: ['bun-types'],
    lib: ['ESNext', 'DOM'],
    jsx: 'react-jsx',
    moduleDetection: 'force',
    paths: { skein: [join(ROOT, 'graphs/skein.ts')], 'skein/client': [join(ROOT, 'client/client.ts')] },
  },
  include: ['.'],
  exclude: ['node_modules'],
};

/** Modules that a page imports and that a checkout doesn't have. */
const AMBIENT = `declare module '*.css';
// Too large for every checkout: tests/server/ag-ui installs and runs it.
declare module '@copilotkit/runtime/v2';
`;

/** Files beside a project's test. */
const RUNNING_SERVICE = `export * from '${join(ROOT, 'cli/template/shared/tests/running-service.ts')}';\n`;

const snippets = (await Promise.all(PAGES.map(blocksOf)))
  .flat()
  .filter(({ language, info }) => ['ts', 'tsx', 'typescript'].includes(language) && info !== 'fragment');

test('the documents have TypeScript', () => {
  expect(snippets.length).toBeGreaterThan(15);
});

test('every snippet compiles', async () => {
  expect(await problemsOf(snippets)).toEqual([]);
});

test('an error in a snippet is reported with its page and line', async () => {
  const wrong = { ...snippets[0], page: 'docs/none.md', line: 7, language: 'ts' };
  const code = "import { chatModel } from 'skein';\nexport const model: number = chatModel();\n";
  const problems = await problemsOf([{ ...wrong, info: '', code }]);
  expect(problems).toEqual([expect.stringMatching(/^docs\/none\.md:8: error TS2322: /)]);
});

/** The errors, a line each: `docs/runs.md:12: error TS2304: ...`. */
async function problemsOf(blocks: Block[]): Promise<string[]> {
  const project = mkdtempSync(join(folder, 'project-'));
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  await Bun.write(join(project, 'tsconfig.json'), JSON.stringify(CONFIG));
  await Bun.write(join(project, 'ambient.d.ts'), AMBIENT);
  const byFile = new Map<string, Block>();
  for (const [index, block] of blocks.entries()) {
    const file = `graphs/snippet-${index}/graph.${block.language === 'tsx' ? 'tsx' : 'ts'}`;
    byFile.set(file, block);
    await Bun.write(join(project, file), block.code);
    await Bun.write(join(project, dirname(file), 'running-service.ts'), RUNNING_SERVICE);
  }
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const child = Bun.spawn([compiler, '--project', project, '--pretty', 'false'], {
    cwd: project,
    stdout: 'pipe',
  });
  const lines = (await child.stdout.text()).split('\n');
  await child.exited;
  return lines.flatMap((line) => {
    const [, path = '', at = '', problem = ''] = /^(\S+?)\((\d+),\d+\): (error .+)$/.exec(line) ?? [];
    const block = byFile.get(relative(project, join(project, path)));
    // The service's own files are checked elsewhere, with different libraries.
    return block ? [`${block.page}:${block.line + Number(at) - 1}: ${problem}`] : [];
  });
}
