/** What a start reports about further copies of LangGraph, which projects get through their packages. */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import skein from '../../package.json';
import { spawnProcess, spawnService } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';

// It copies packages and starts services, on a machine that may be busy.
setDefaultTimeout(120_000);

const ROOT = realpathSync(join(import.meta.dir, '..', '..'));
const LANGGRAPH = '@langchain/langgraph';
const OWN = join(ROOT, 'node_modules', LANGGRAPH);
const TESTED = skein.devDependencies[LANGGRAPH];
const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-copies-')));
let folders = 0;
let project = root;
beforeEach(() => {
  project = join(root, String(folders++));
});
afterAll(() => rmSync(root, { recursive: true }));

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

const manifest = (folder: string, content: object) =>
  Bun.write(join(project, folder, 'package.json'), JSON.stringify(content));

/** A copy with another version number. */
async function copyLangGraph(folder: string, version: string): Promise<void> {
  const copy = join(folder, 'node_modules', LANGGRAPH);
  cpSync(OWN, join(project, copy), { recursive: true, dereference: true });
  await manifest(copy, { ...(await Bun.file(join(OWN, 'package.json')).json()), version });
}

/** A project with the running skein, whose workflow takes its graph from `wheels`, a package of its package `bikes`. */
async function writeProject(): Promise<void> {
  link(ROOT, join(project, 'node_modules/skein'));
  for (const name of readdirSync(dirname(OWN)))
    if (name !== 'langgraph') link(join(dirname(OWN), name), join(project, 'node_modules/@langchain', name));
  link(join(ROOT, 'node_modules/zod'), join(project, 'node_modules/zod'));
  await manifest('', { dependencies: { skein: '*', bikes: '1.0.0' } });
  await Bun.write(join(project, 'config.yml'), '');
  await manifest('node_modules/bikes', {
    name: 'bikes',
    version: '1.0.0',
    dependencies: { wheels: '1.0.0' },
  });
  await Bun.write(join(project, 'node_modules/bikes/index.ts'), "export * from 'wheels';");
  const dependencies = { [LANGGRAPH]: '1.7.0' };
  await manifest('node_modules/wheels', { name: 'wheels', version: '1.0.0', dependencies });
  await Bun.write(
    join(project, 'node_modules/wheels/index.ts'),
    `export { END, START, StateGraph } from '${LANGGRAPH}';`,
  );
  await Bun.write(
    join(project, 'graphs/ride/graph.ts'),
    `import { END, START, StateGraph } from 'bikes';
import { Conversation, workflow } from 'skein';
export default workflow({
  description: 'Rides.',
  agents: () => [{ name: 'rider', description: 'Rides' }],
  example: 'Go.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('rider', agent('rider', async () => ({ content: 'Gone.' })))
      .addEdge(START, 'rider').addEdge('rider', END),
});`,
  );
}

async function started(): Promise<string[]> {
  const service = await spawnService(project);
  service.kill('SIGKILL');
  await service.exited;
  return service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('warning '));
}

const SECOND = `A second copy of ${LANGGRAPH} is loaded: 1.7.0 in node_modules/wheels/node_modules/${LANGGRAPH}, through node_modules/wheels. The service has ${TESTED} in ${OWN}. Types and instanceof fail across the two. Change the version of wheels so that both use one copy in ${skein.peerDependencies[LANGGRAPH]}.`;

test('a second copy is named with the package that brings it, by the start and by validate', async () => {
  await writeProject();
  await copyLangGraph('node_modules/wheels', '1.7.0');
  expect(await started()).toEqual([`warning    ${SECOND}`]);
  const { out } = await runCommand(['validate', '--json', '--port', '0'], project);
  expect(JSON.parse(out).warnings).toEqual([SECOND]);
});

test('a copy in the project itself is reported as such', async () => {
  await writeProject();
  await copyLangGraph('.', '1.7.0');
  const [warning = '', ...more] = await started();
  expect(more).toEqual([]);
  expect(warning).toContain(
    `A second copy of ${LANGGRAPH} is loaded: 1.7.0 in node_modules/${LANGGRAPH}. The`,
  );
  expect(warning).toContain("Change the project's package.json so that");
});

test('a project in which all packages share one copy gets no warning', async () => {
  await writeProject();
  link(OWN, join(project, 'node_modules', LANGGRAPH));
  expect(await started()).toEqual([]);
});

test('if the project has an unsupported version, skein says which one to install', async () => {
  await writeProject();
  const own = join(project, 'node_modules/skein');
  rmSync(own);
  // The studio is built when the package is packed.
  for (const name of [...skein.files, 'package.json'].filter((name) => existsSync(join(ROOT, name))))
    cpSync(join(ROOT, name), join(own, name), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@langchain' && name !== 'zod')
      link(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  await copyLangGraph('.', '1.4.17');
  const command = [process.execPath, '--no-env-file', join(own, 'cli/main.ts'), 'validate', '--port', '0'];
  const child = spawnProcess(command, project, { HOME: project });
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect(child.output()).toContain(
    `${LANGGRAPH} is 1.4.17 in ${join(project, 'node_modules', LANGGRAPH)}, but skein ${skein.version} needs ${skein.peerDependencies[LANGGRAPH]}: run "bun add --exact ${LANGGRAPH}@${TESTED}".`,
  );
});
