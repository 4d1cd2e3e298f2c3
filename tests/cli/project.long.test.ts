/** A project from its creation to its own workflows: created, installed from the packed package, checked, served, and changed. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import skein from '../../package.json';
import studio from '../../studio/package.json';
import { listening, type ServiceProcess, spawnProcess } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';
import { largeDocument, SPECIFIED } from './template/bike-insights/documents.ts';

// It installs packages and starts services, on a machine that may be busy.
setDefaultTimeout(300_000);

const root = mkdtempSync(join(tmpdir(), 'skein-project-'));
const project = join(root, 'bike service');
// The user's home has the cache of packages.
const HOME = { HOME: homedir() };
const running = new Set<ServiceProcess>();

beforeAll(async () => {
  const { code, errors } = await runCommand(['init', 'bike service', '--yes'], root);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(await run('install')).toMatchObject({ code: 0 });
});
afterEach(async () => {
  for (const service of running) await stop(service);
});
afterAll(() => rmSync(root, { recursive: true }));

/** A command of Bun in the project's folder, such as one of its scripts. */
async function run(...args: string[]) {
  const child = spawnProcess([process.execPath, ...args], project, HOME);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

async function start(script = 'start', ...args: string[]): Promise<ServiceProcess> {
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'error', ...args];
  const service = await listening(spawnProcess([process.execPath, 'run', script, ...flags], project, HOME));
  running.add(service);
  return service;
}

/** A script forwards the signals that it can catch. */
async function stop(service: ServiceProcess): Promise<void> {
  service.kill('SIGTERM');
  await service.exited;
  running.delete(service);
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
async function chat({ url }: ServiceProcess, conversation_flow: string, user_prompt: string): Promise<any> {
  const response = await fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_flow, user_prompt }),
  });
  return response.json();
}

interface Listed {
  workflow: string;
  source: string;
  ready: boolean;
  missing_config: string[];
}

async function listed({ url }: ServiceProcess): Promise<Listed[]> {
  const response = await fetch(`${url}/api/v1/workflows`);
  return ((await response.json()) as { workflows: Listed[] }).workflows;
}

const addWorkflow = (name: string, text: string) =>
  Bun.write(join(project, 'graphs', name, 'graph.ts'), text);

const HELLO = `import { Conversation, END, START, StateGraph, workflow } from 'skein';
export default workflow({
  description: 'Says hello.',
  agents: () => [{ name: 'greeter', description: 'Greets' }],
  example: 'I am Ana.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('greeter', agent('greeter', async () => ({ content: 'Hello from here.' })))
      .addEdge(START, 'greeter').addEdge('greeter', END),
});`;

/** The workflow of the README, word for word. */
function readmeWorkflow(): string {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(project, 'README.md'), 'utf8')) ?? [];
  return code;
}

test('it has one copy of LangGraph, in the versions that its package.json names', async () => {
  const { dependencies } = await projectPackage();
  for (const name of ['core', 'langgraph', 'langgraph-checkpoint']) {
    const copies = new Bun.Glob(`node_modules/**/@langchain/${name}/package.json`).scanSync({ cwd: project });
    expect([...copies]).toEqual([`node_modules/@langchain/${name}/package.json`]);
  }
  for (const name of ['@langchain/core', '@langchain/langgraph'] as const) {
    const { version } = await Bun.file(join(project, 'node_modules', name, 'package.json')).json();
    expect(dependencies[name]).toBe(version);
    expect(dependencies[name]).toBe(skein.devDependencies[name]);
  }
});

test('it passes validation and its own test', async () => {
  const tested = await run('run', 'test');
  expect(tested.output).toContain(' 0 fail');
  expect(tested.code).toBe(0);
  const { output } = await run('run', 'skein', 'validate', '--port', '0');
  expect(output).toContain('✓ workflow         bike-insights (project), 4 agents');
  expect(output).toMatch(/✓ prompts .*: default, v1\n/);
  expect(existsSync(join(project, '.tmp'))).toBe(false);
});

test("it serves the studio, and has none of the studio's libraries", async () => {
  for (const name of Object.keys(studio.dependencies).filter((each) => !(each in skein.dependencies)))
    expect([name, existsSync(join(project, 'node_modules', name))]).toEqual([name, false]);
  const { url } = await start();
  const page = await (await fetch(`${url}/studio`)).text();
  const [, script = ''] = /src="(\/studio\/assets\/main-[^"]+\.js)"/.exec(page) ?? [];
  const code = await fetch(`${url}${script}`);
  expect(code.headers.get('content-type')).toStartWith('text/javascript');
  expect((await code.text()).length).toBeGreaterThan(100_000);
});

test('its bike-insights answers the document of the specification, its example, and a large one', async () => {
  const service = await start();
  const AGENTS = [
    'classification_agent',
    'education_expert',
    'knowledge_base_agent',
    'sql_manipulation_agent',
  ];
  const own = JSON.parse(readFileSync(join(project, 'data/bike-insights.json'), 'utf8'));
  for (const [document, units] of [
    [SPECIFIED, 7],
    [own, 29],
    [largeDocument(), unitsOf(largeDocument())],
  ] as const) {
    const text = JSON.stringify(document);
    const { outputs, agent_response } = await chat(service, 'bike-insights', text);
    expect(outputs.map(({ agent }: { agent: string }) => agent).sort()).toEqual(AGENTS);
    for (const agent of AGENTS) expect(agent_response).toContain(`${agent}: `);
    const { data } = outputs.find(({ agent }: { agent: string }) => agent === 'classification_agent');
    expect(data.totals.units).toBe(units);
  }
  expect(JSON.stringify(largeDocument()).length).toBeGreaterThan(900_000);
  const refused = await chat(service, 'bike_insights', '{"stores": 1}');
  expect(refused).toMatchObject({ error_code: 'INVALID_WORKFLOW_INPUT', detail: 'stores: expected a list' });
});

test('it passes the type check, also with workflows of ten lines, which are listed and answer; broken ones are reported with their reason', async () => {
  await addWorkflow('hello', HELLO);
  await addWorkflow('readme', readmeWorkflow());
  await addWorkflow(
    'reception',
    `import { Conversation, END, START, StateGraph, workflow } from 'skein';
export default workflow({
  description: 'Greets, and hands on.',
  agents: () => [{ name: 'greeter', description: 'Greets' }],
  example: 'My pedal broke.',
  build: ({ agent, coreWorkflow }) =>
    new StateGraph(Conversation)
      .addNode('greeter', agent('greeter', async () => ({ content: 'Good day.' })))
      .addNode(...coreWorkflow('classification-agent'))
      .addEdge(START, 'greeter')
      .addEdge('greeter', 'classification-agent')
      .addEdge('classification-agent', END),
});`,
  );
  expect(await run('run', 'typecheck')).toMatchObject({ code: 0 });
  await addWorkflow('broken', "import { nothing } from './missing.ts';\nexport default nothing;");
  const service = await start();
  expect(service.output()).toContain('warning    A workflow cannot be loaded: graphs/broken/graph.ts: ');
  expect(service.output()).not.toContain(project);
  const workflows = await listed(service);
  expect(workflows.filter(({ source }) => source === 'project')).toMatchObject([
    { workflow: 'bike-insights', ready: true },
    { workflow: 'broken', ready: false },
    { workflow: 'hello', ready: true },
    { workflow: 'readme', ready: true },
    { workflow: 'reception', ready: true },
  ]);
  expect((await chat(service, 'hello', 'I am Ana.')).agent_response).toBe('Hello from here.');
  expect((await chat(service, 'readme', 'I am Ana.')).outputs).toMatchObject([{ agent: 'greeter' }]);
  const { outputs } = await chat(service, 'reception', 'My pedal broke.');
  expect(outputs.map(({ agent }: { agent: string }) => agent)).toEqual([
    'greeter',
    'classification_agent',
    'support_responder',
  ]);
  expect((await chat(service, 'broken', 'Hi')).detail).toContain("'broken' cannot be loaded");
  const listing = await run('run', 'skein', 'workflows', '--url', service.url);
  expect(listing.code).toBe(1);
  expect(listing.output).toContain('✗ broken (project)');
  expect(listing.output).toContain('graphs/broken/graph.ts: ');
});

test('a workflow with the name of a core one is used only if the settings say so', async () => {
  await addWorkflow('classification-agent', HELLO);
  const before = await start();
  expect(before.output()).toContain('graphs/classification-agent/graph.ts is not used');
  expect((await chat(before, 'classification-agent', 'Hi')).agent_response).not.toContain('Hello from here.');
  await stop(before);
  const env = 'SERVICE_WORKFLOWS__CLASSIFICATION_AGENT__REPLACES_CORE=true\n';
  await Bun.write(join(project, '.env'), env);
  const after = await start();
  expect((await chat(after, 'classification-agent', 'Hi')).agent_response).toBe('Hello from here.');
  expect((await listed(after)).filter(({ workflow }) => workflow === 'classification-agent')).toMatchObject([
    { source: 'project', ready: true },
  ]);
  rmSync(join(project, '.env'));
  rmSync(join(project, 'graphs', 'classification-agent'), { recursive: true });
});

/** `skein init` of the package that the project has installed. */
async function initFromProject(name: string) {
  const main = join(project, 'node_modules', 'skein', 'cli', 'main.ts');
  const child = spawnProcess([process.execPath, '--no-env-file', main, 'init', name, '--yes'], root, HOME);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect({ code: await child.exited, output: child.output() }).toMatchObject({ code: 0 });
  const { dependencies } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
  return dependencies.skein as string;
}

test('a project creates further projects with the same archive', async () => {
  const archive = readFileSync(
    join(project, (await projectPackage()).dependencies.skein.slice('file:'.length)),
  );
  const dependency = await initFromProject('next');
  expect(dependency).toStartWith('file:./vendor/skein-');
  const path = join(root, 'next', dependency.slice('file:'.length));
  expect(readFileSync(path).equals(archive)).toBe(true);
  expect(existsSync(join(root, 'next', '.files/prompts/v1/bike-insights.education_expert.jinja'))).toBe(true);
});

test('without the archive, it packs the installed files', async () => {
  const { dependencies } = await projectPackage();
  const archive = join(project, dependencies.skein.slice('file:'.length));
  renameSync(archive, `${archive}.away`);
  try {
    const path = join(root, 'third', (await initFromProject('third')).slice('file:'.length));
    const files = await new Bun.Archive(readFileSync(path)).files();
    const main = readFileSync(join(project, 'node_modules/skein/cli/main.ts'), 'utf8');
    expect(await files.get('package/cli/main.ts')?.text()).toBe(main);
  } finally {
    renameSync(`${archive}.away`, archive);
  }
});

test.each(['9.9.9', '^9.0.0', 'git+https://git.example/skein.git'])(
  'if the project has skein as %s, further projects have it too',
  async (dependency) => {
    const own = await projectPackage();
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules/skein/package.json'), 'utf8'));
    const name = `from-${dependency.replaceAll(/\W/g, '-')}`;
    await Bun.write(
      join(project, 'package.json'),
      JSON.stringify({ ...own, dependencies: { skein: dependency } }),
    );
    try {
      expect(await initFromProject(name)).toBe(dependency.startsWith('git') ? dependency : version);
    } finally {
      await Bun.write(join(project, 'package.json'), JSON.stringify(own));
    }
    expect(existsSync(join(root, name, 'vendor'))).toBe(false);
  },
);

const projectPackage = () => Bun.file(join(project, 'package.json')).json();

function unitsOf({ stores }: ReturnType<typeof largeDocument>): number {
  return stores
    .flatMap(({ bike_sales }) => bike_sales)
    .reduce((sum, { quantity_sold }) => sum + quantity_sold, 0);
}
