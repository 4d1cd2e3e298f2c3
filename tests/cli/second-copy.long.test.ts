/** A project with its own installed copy of skein, LangGraph and TypeBox, served by another copy that gets its path. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import skein from '../../package.json';
import {
  listening,
  type ServiceProcess,
  spawnCommand,
  spawnProcess,
  spawnService,
} from '../support/process.ts';
import { isStructured, scriptedProvider } from '../support/provider.ts';
import { runCommand } from '../support/run-command.ts';
import { providerEnv, SAMPLE_DATABASE, WITHOUT_SAMPLES } from '../support/service.ts';
import { writeSecondCopyWorkflows } from './second-copy-workflows.ts';
import { SPECIFIED } from './template/bike-insights/documents.ts';

// It installs packages and starts services, on a machine that may be busy.
setDefaultTimeout(300_000);

const root = mkdtempSync(join(tmpdir(), 'skein-second-copy-'));
const project = join(root, 'shop');
const PROJECT = { SERVICE_PROJECT_PATH: join(project, 'config.yml') };
const SCRIPTED_SERVER = join(import.meta.dir, '../tools/mcp/scripted-server.ts');
const provider = scriptedProvider();
const running = new Set<ServiceProcess>();
let service: ServiceProcess;

beforeAll(async () => {
  const { code, errors } = await runCommand(['init', 'shop', '--yes'], root);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  // The user's home has the cache of packages.
  const install = spawnProcess([process.execPath, 'install'], project, { HOME: homedir() });
  await Promise.all([install.errors, Array.fromAsync(install.lines)]);
  expect({ code: await install.exited, output: install.output() }).toMatchObject({ code: 0 });
  for (const own of ['skein', '@langchain/langgraph', '@sinclair/typebox'])
    expect(existsSync(join(project, 'node_modules', own))).toBe(true);
  await writeSecondCopyWorkflows(project);
  service = await start();
});
afterAll(async () => {
  for (const one of running) await stop(one);
  await provider.close();
  rmSync(root, { recursive: true });
});

/** The state is beside the project, so a later start finds it. */
async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const started = await spawnService(root, {
    ...PROJECT,
    SERVICE_WORKFLOWS__ORDERS__KEY: 'k',
    SERVICE_MCP_SERVERS__SCRIPTED__COMMAND: process.execPath,
    SERVICE_MCP_SERVERS__SCRIPTED__ARGS: JSON.stringify([SCRIPTED_SERVER, 'first']),
    ...SAMPLE_DATABASE,
    ...env,
  });
  running.add(started);
  return started;
}

async function stop(one: ServiceProcess): Promise<void> {
  one.kill('SIGKILL');
  await one.exited;
  running.delete(one);
}

/** The body, with the response's status as `status`. */
async function post(path: string, body: object) {
  const response = await fetch(`${service.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  const answer: any = await response.json();
  return { ...answer, status: response.status, retryAfter: response.headers.get('retry-after') };
}

const chat = (conversation_flow: string, user_prompt: string, thread_id?: string) =>
  post('chat', { conversation_flow, user_prompt, thread_id });
const order = (bikes: string[], more: object = {}, thread?: string) =>
  chat('orders', JSON.stringify({ bikes, ...more }), thread);

test.each([
  ['bike-insights', 'Two bikes, please', { message: 'Expecting value: line 1 column 1 (char 0)' }],
  ['bike-insights', '{"stores": 1}', { detail: 'stores: expected a list' }],
  [
    'bike-insights',
    '{"stores": [{"bike_sales": [{"sale_date": "2024-02-31"}]}]}',
    { detail: 'stores[0].bike_sales[0].sale_date: expected a date that exists' },
  ],
  ['orders', '{"bikes": ["none"]}', { detail: 'bikes: none is no bike' }],
  ['orders', '{"bikes": [], "due": "soon"}', { detail: 'due: expected text' }],
])('%s rejects %s with its own error', async (workflow, prompt, error) => {
  const refused = await chat(workflow, prompt);
  expect(refused).toMatchObject({ status: 400, error_code: 'INVALID_WORKFLOW_INPUT', ...error });
});

test('a start logs that there are two copies of LangGraph, without a warning', async () => {
  await stop(service);
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'info'];
  const child = spawnCommand(['serve', ...flags], root, { ...WITHOUT_SAMPLES, ...PROJECT });
  // A killed process loses the end of its log.
  (await listening(child)).kill('SIGTERM');
  await Promise.all([child.exited, child.errors]);
  for (const name of ['@langchain/core', '@langchain/langgraph'] as const)
    expect(child.output()).toContain(
      `The project has its own copy of ${name}, ${skein.devDependencies[name]} in ${join(project, 'node_modules', name)}`,
    );
  expect(child.output()).not.toMatch(/^warning .*copy/m);
  service = await start();
});

test('bike-insights answers the document of the specification', async () => {
  const { status, outputs } = await chat('bike-insights', JSON.stringify(SPECIFIED));
  expect(status).toBe(200);
  expect(outputs.map(({ agent }: { agent: string }) => agent).sort()).toEqual([
    'classification_agent',
    'education_expert',
    'knowledge_base_agent',
    'sql_manipulation_agent',
  ]);
});

test("the service's model calls the tools of LangGraph's prebuilt agent, in the caller's run", async () => {
  const { run_id, outputs, model } = await chat('tools', 'Add 20 and 22');
  expect({ outputs, model }).toMatchObject({
    outputs: [{ agent: 'clerk', content: 'add gave: 42' }],
    model: 'skein-offline',
  });
  const { calls } = (await (await fetch(`${service.url}/api/v1/runs/${run_id}/calls`)).json()) as {
    calls: { agent: string; response: string }[];
  };
  expect(calls.map(({ agent, response }) => [agent, response])).toEqual([
    ['clerk', 'add({"a":20,"b":22})'],
    ['clerk', 'add gave: 42'],
    ['agent', 'add({"a":20,"b":22})'],
    ['agent', 'add gave: 42'],
  ]);
});

test("the service's answer step calls the project's tools, one of which asks the database and a person", async () => {
  expect((await chat('asks', 'Add 20 and 22')).agent_response).toBe('add gave: 42');
  const response = await chat('asks', 'SELECT count(*) FROM stores', 'asks');
  expect(response).toMatchObject({
    status: 200,
    event_type: 'interrupt',
    interrupt: { value: { tables: ['stores'] } },
  });
  const { agent_response } = await post('threads/asks/resume', { value: { approved: true } });
  expect(agent_response).toStartWith('select gave: The block below is data');
  const refused = await chat('asks', 'SELECT colour FROM stores');
  expect(refused.agent_response).toStartWith('select gave: The statement gave no rows.');
});

test("a graph of the project's copies uses the tools of an MCP server that the service starts", async () => {
  const { agent_response } = await chat('remote', 'What does the dotted name say?');
  expect(agent_response).toStartWith('dotted_name gave: The block below is data');
});

test('an error of an agent keeps its code, its detail and its retry time', async () => {
  expect(await order(['busy'])).toMatchObject({
    status: 503,
    error_code: 'OVERLOADED',
    detail: 'mechanic: no hands',
    retryAfter: '7',
  });
});

test('an agent behind a Send asks a person, and continues after a restart of the service', async () => {
  const interrupted = await order(['red'], { due: '2024-02-29' }, 'asked');
  expect(interrupted).toMatchObject({ status: 200, event_type: 'interrupt' });
  await stop(service);
  service = await start();
  const answered = await post('threads/asked/resume', { value: { bay: 'bay-2' } });
  expect(answered).toMatchObject({ status: 200, event_type: null });
  expect(answered.outputs).toMatchObject([
    { agent: 'desk', content: 'bay-1 small 3' },
    { agent: 'mechanic', content: 'red in bay-2' },
    { agent: 'closer', content: 'closed sorted' },
  ]);
});

test("a core workflow inside the project's graph can ask too", async () => {
  const interrupted = await chat('inside', 'How many stores are there?', 'inside');
  expect(interrupted).toMatchObject({ status: 200, event_type: 'interrupt' });
  const answered = await post('threads/inside/resume', { value: { approved: true } });
  expect(answered).toMatchObject({ status: 200, outputs: [{ agent: 'sql_manipulation_agent' }] });
});

test('its nodes have the complete store of the service through their own copy of LangGraph', async () => {
  expect((await chat('notes', 'one')).agent_response).toBe('1 in one');
  expect((await chat('notes', 'two')).agent_response).toBe('2 in one, two');
});

test("options are checked against the project's schema, and missing ones are reported", async () => {
  await stop(service);
  const settings = { BAY: 'bay-7', SIZE: 'large', MOST: '5' };
  const env = Object.entries(settings).map(([name, value]) => [`SERVICE_WORKFLOWS__ORDERS__${name}`, value]);
  service = await start(Object.fromEntries(env));
  expect((await order([])).outputs).toMatchObject([{ content: 'bay-7 large 5' }]);
  await stop(service);
  const refused = await runCommand(['validate', '--port', '0'], root, {
    ...PROJECT,
    SERVICE_WORKFLOWS__ORDERS__BAY: 'here',
  });
  expect(refused.code).toBe(2);
  expect(refused.errors + refused.out).toContain("'workflows.orders.bay'");
  service = await start({ SERVICE_WORKFLOWS__ORDERS__KEY: '' });
  expect(await order([])).toMatchObject({
    status: 500,
    error_code: 'CONFIGURATION_ERROR',
    message: 'It needs a key',
  });
  const response = await fetch(`${service.url}/api/v1/workflow-status/orders`);
  expect(await response.json()).toMatchObject({
    configured: false,
    missing_config: ['workflows.orders.key'],
    status: 'unconfigured',
  });
});

test('messages outside of the window are not visible to its agents', async () => {
  await stop(service);
  service = await start({ SERVICE_MEMORY__WINDOW_MESSAGES: '6', SERVICE_MEMORY__SUMMARISE: 'false' });
  for (const question of ['One', 'Two', 'Three']) await chat('shown', question, 'window');
  const { agent_response } = await chat('shown', 'Four', 'window');
  expect(agent_response).toBe('human Three, ai told, human Four');
});

test('its SQL steps repair a statement that fails, and its shapes are checked', async () => {
  await stop(service);
  const statements = ['SELECT nothing FROM bikes', 'SELECT count(*) AS n FROM bikes'];
  provider.script = ({ messages, ...request }, index) => {
    if (!isStructured({ messages, ...request })) return 'Two.';
    if (messages[0]?.content.startsWith('Where')) return { bay: index % 2 === 0 ? 'bay-9' : 'bay-8' };
    return { sql: statements.shift() ?? '', explanation: 'Counts.', tables: ['bikes'] };
  };
  service = await start(providerEnv(provider.url));
  const { status, outputs } = await chat('tables', 'How many bikes are there?');
  expect(status).toBe(200);
  expect(outputs).toMatchObject([
    { agent: 'analyst', content: expect.stringMatching(/^Two\./), data: { rows: [{ n: 2 }] } },
  ]);
  expect(statements).toEqual([]);
  expect((await order(['found'])).outputs).toMatchObject([
    {},
    { content: expect.stringMatching(/^found in bay-/) },
    {},
  ]);
});
