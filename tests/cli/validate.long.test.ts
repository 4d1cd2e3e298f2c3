/** `skein validate` as people run it: real ports, providers, files and folders, and that it changes none of them. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from '../../cli/service/checks/check.ts';
import { APPLICATION_ID } from '../../state/sqlite/file/schema.ts';
import { spawnService } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';

// A command is a process, which starts slowly on a busy machine.
setDefaultTimeout(120_000);

const all = mkdtempSync(join(tmpdir(), 'skein-validate-'));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(all, 'project-'));
});
afterAll(() => rmSync(all, { recursive: true }));

// 0 is any free port, so the check doesn't conflict with other tests.
const FREE = { WEB_PORT: '0' };

async function validate(env: Record<string, string> = {}) {
  const { out, code, errors } = await runCommand(['validate', '--json'], folder, { ...FREE, ...env });
  if (code === 2) throw new Error(errors);
  const { checks, ok } = JSON.parse(out) as { checks: Check[]; ok: boolean };
  expect(ok).toBe(code === 0);
  const row = (name: string) => checks.filter((check) => check.name === name);
  return { code, checks, row };
}

const write = (name: string, text: string) => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
};

const listen = (fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });

test('an empty folder is valid, and stays empty', async () => {
  const { code, checks } = await validate();
  expect(code).toBe(0);
  expect(checks.filter(({ state }) => state !== 'ok')).toMatchObject([
    { name: 'chat model', state: 'warning', found: expect.stringContaining('skein-offline') },
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('invalid settings are also reported as JSON', async () => {
  write('config.yml', 'nonsense: 3\n');
  const { out, code, errors } = await runCommand(['validate', '--json'], folder, FREE);
  expect(code).toBe(2);
  const { ok, checks } = JSON.parse(out) as { checks: Check[]; ok: boolean };
  expect({ ok, checks }).toEqual({
    ok: false,
    checks: [{ name: 'settings', state: 'failed', found: errors.trimEnd() }],
  });
  expect(errors).toStartWith("Validation error in field 'nonsense': ");
});

test("a default agent that isn't a workflow is reported", async () => {
  write('config.yml', 'a2a: {default: clasification-agent}\n');
  expect(validate()).rejects.toThrow("'a2a.default': no such workflow, did you mean 'classification-agent'?");
});

test('an invalid flag is also reported as JSON', async () => {
  const { out, code, errors } = await runCommand(['validate', '--json', '--prot', '1'], folder, FREE);
  expect(code).toBe(2);
  expect(errors).toContain("'--prot': unknown flag, did you mean '--port'?");
  expect(JSON.parse(out)).toMatchObject({ ok: false, checks: [{ found: errors.trimEnd() }] });
});

test('invalid settings are rejected before anything is checked', async () => {
  write('config.yml', 'web_configuration: {prot: 1}');
  const { code, out, errors } = await runCommand(['validate'], folder);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(errors).toContain("did you mean 'port'");
});

test('a port in use by another program fails', async () => {
  const server = listen(() => new Response('something else'));
  const { port } = server;
  const { code, row } = await validate({
    WEB_PORT: `${port}`,
    SERVICE_WEB_CONFIGURATION__HOST: '127.0.0.1',
  });
  await server.stop(true);
  expect(code).toBe(1);
  expect(row(`port ${port}`)).toMatchObject([
    { state: 'failed', found: 'in use by another program on 127.0.0.1' },
  ]);
});

test("while the service runs, it says so, and accepts the service's files", async () => {
  const service = await spawnService(folder);
  const { port } = new URL(service.url);
  try {
    const { code, row } = await validate({ WEB_PORT: port, SERVICE_WEB_CONFIGURATION__HOST: '127.0.0.1' });
    expect(code).toBe(0);
    expect(row(`port ${port}`)).toMatchObject([
      { state: 'warning', found: 'a Skein service is running there' },
    ]);
    expect(row('state file')).toMatchObject([
      { state: 'ok', found: expect.stringContaining('in use by the running service') },
    ]);
    const otherPort = await validate();
    expect(otherPort.row('state file')).toMatchObject([
      { state: 'failed', found: expect.stringContaining('in use by another process') },
    ]);
  } finally {
    service.kill('SIGKILL');
    await service.exited;
  }
  const after = await validate();
  expect(after.row('state file')).toMatchObject([{ state: 'ok', found: expect.stringContaining('MiB') }]);
});

test.each<[string, number, Check['state'], () => Response]>([
  ['refuses the key', 1, 'failed', () => new Response('no key-canary', { status: 401 })],
  ['does not have the model', 0, 'warning', () => Response.json({ data: [{ id: 'a' }] })],
])('a provider that %s: exit code %i', async (_what, expected, state, answer) => {
  const server = listen(answer);
  const { code, row, checks } = await validate({
    LLM_PROVIDER_BASE_URL: `${server.url}v1`,
    LLM_PROVIDER_API_KEY: 'key-canary',
    LLM_PROVIDER_MODEL: 'm',
  }).finally(() => server.stop(true));
  expect(row('chat model')).toMatchObject([{ state }]);
  expect(code).toBe(expected);
  expect(JSON.stringify(checks)).not.toContain('key-canary');
});

test('damaged files are reported and not changed', async () => {
  const junk = 'this is no database, whatever its name says. '.repeat(200);
  write('.tmp/skein.db', junk);
  write('.tmp/sample.duckdb', junk);
  const { code, row } = await validate();
  expect(code).toBe(1);
  expect(row('state file')).toMatchObject([
    { state: 'failed', found: expect.stringContaining('not a database') },
  ]);
  expect(row('SQL database')).toMatchObject([
    { state: 'failed', todo: expect.stringContaining('if the file is damaged, move it away') },
  ]);
  expect(readdirSync(join(folder, '.tmp')).sort()).toEqual(['sample.duckdb', 'skein.db']);
  expect(await Bun.file(join(folder, '.tmp/skein.db')).text()).toBe(junk);
});

test("a state file with a WAL that isn't checkpointed is read without changes", async () => {
  mkdirSync(join(folder, '.tmp'));
  const db = new Database(join(folder, '.tmp/skein.db'), { create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  db.close();
  const before = readdirSync(join(folder, '.tmp'));
  const { row } = await validate();
  expect(row('state file')).toMatchObject([{ state: 'ok' }]);
  expect(readdirSync(join(folder, '.tmp'))).toEqual(before);
});

test("paths that aren't writable or of the wrong type fail, each in its row", async () => {
  write('file', '');
  const { row } = await validate({
    SERVICE_CHAT_HISTORY__DATABASE_PATH: join(folder, 'file/state.db'),
    SERVICE_PROMPTS__PATH: join(folder, 'file'),
    SERVICE_KNOWLEDGE_BASE__DOCUMENTS_PATH: join(folder, 'file'),
    SERVICE_LOCAL_SQL_DB__DATABASE_PATH: folder,
  });
  const found = ['state file', 'prompts', 'knowledge base', 'SQL database'].flatMap((name) => row(name));
  expect(found.map(({ state, found }) => `${state} ${found.split(': ').at(-1)}`)).toEqual([
    'failed one of its folders is a file',
    'failed expected a folder',
    'failed expected a folder',
    'failed expected a file',
  ]);
});

test('mistyped paths and missing revisions are warnings', async () => {
  write('config.yml', 'workflows: {classification-agent: {prompt_revision: v9}}');
  write('docs/handbook.md', '# A');
  const { code, row } = await validate({
    SERVICE_KNOWLEDGE_BASE__DOCUMENTS_PATH: join(folder, 'docs'),
    SERVICE_LOCAL_SQL_DB__DATABASE_PATH: join(folder, 'nowhere.duckdb'),
  });
  expect(code).toBe(0);
  expect(row('knowledge base')).toMatchObject([
    { state: 'ok', found: expect.stringContaining('1 document,') },
  ]);
  expect(row('SQL database')).toMatchObject([
    { state: 'warning', found: expect.stringContaining('file does not exist') },
  ]);
  expect(row('prompts')[1]).toMatchObject({
    state: 'warning',
    found: expect.stringContaining("revision 'v9' does not exist"),
  });
});

test('the requirements of a cloud mode are checked', async () => {
  write(
    'config.yml',
    'knowledge_base: {mode: cloud}\ncloud_sql: {database_name: sales}\nprompts: {storage: azure}',
  );
  const { row } = await validate();
  expect(row('knowledge base')).toMatchObject([
    { state: 'failed', todo: 'set cloud_search.endpoint, cloud_search.index_name, cloud_search.api_key' },
  ]);
  expect(row('SQL database')).toMatchObject([
    { state: 'failed', found: expect.stringContaining('cloud_sql.') },
  ]);
  expect(row('prompts')).toMatchObject([{ state: 'failed' }]);
  expect(row('workflow').map(({ state }) => state)).toEqual(['ok', 'failed', 'failed']);
});

test('a broken workflow of the project fails with its path and reason; one with the name of a core workflow is reported as ignored', async () => {
  write('graphs/haiku/graph.ts', "throw new Error('no syllables');");
  write('graphs/classification-agent/graph.ts', '');
  const { code, row } = await validate();
  expect(code).toBe(1);
  const odd = row('workflow').filter(({ state }) => state !== 'ok');
  expect(odd.map(({ state, found }) => `${state} ${found}`)).toEqual([
    'failed graphs/haiku/graph.ts: no syllables',
    'warning graphs/classification-agent/graph.ts is not used: the core has a workflow of this name, which workflows.classification-agent.replaces_core: true replaces',
  ]);
});

test('a workflow whose file ends the process or never finishes loading is reported, and the others run', async () => {
  write('graphs/leaving/graph.ts', 'process.exit(0);');
  write('graphs/waiting/graph.ts', 'await new Promise(() => {});\nexport default {};');
  const { code, row } = await validate();
  expect(code).toBe(1);
  expect(row('workflow').map(({ state, found }) => `${state} ${found}`)).toEqual([
    'ok classification-agent (core), 6 agents',
    'ok knowledge-base-agent (core), 1 agent',
    'ok sql-manipulation-agent (core), 1 agent',
    'failed graphs/leaving/graph.ts: it exits the process when it is imported',
    'failed graphs/waiting/graph.ts: it does not finish loading within 10 s: move what it awaits into its agents',
  ]);
});

test('a missing folder for temporary files stops the start, and is one of the checks', async () => {
  const env = { TMPDIR: join(folder, 'nowhere') };
  const { code, row } = await validate(env);
  expect([code, row('temporary files')[0]?.state]).toEqual([1, 'failed']);
  const { errors, code: started } = await runCommand(['serve'], folder, { ...FREE, ...env });
  expect(started).toBe(2);
  expect(errors).toContain("Validation error in field 'TMPDIR'");
  expect(errors).toContain('the folder does not exist');
});

test('workflows outside of the folder of config.yml are reported as ignored', async () => {
  write('project/graphs/haiku/graph.ts', '');
  write('elsewhere/config.yml', '');
  const project = join(folder, 'project');
  const args = ['validate', '--json', '--config', join(folder, 'elsewhere/config.yml')];
  const { warnings } = JSON.parse((await runCommand(args, project, FREE)).out);
  expect(warnings).toEqual([
    'graphs/ in the working directory is ignored: the workflows of a project must be beside its config.yml',
  ]);
});

test('each MCP server is started and its tools are listed', async () => {
  const script = join(import.meta.dir, '../tools/mcp/scripted-server.ts');
  const program = (kind: string) => `{command: '${process.execPath}', args: ['${script}', ${kind}]}`;
  write(
    'config.yml',
    `mcp_servers: {good: ${program('first')}, dead: ${program('dead')}, none: {command: ./nowhere}}`,
  );
  const { code, row } = await validate();
  expect(code).toBe(1);
  expect(row('MCP server')).toEqual([
    { name: 'MCP server', state: 'ok', found: 'good: 2 tools' },
    {
      ...{ name: 'MCP server', state: 'failed', found: 'dead: it exited before it responded' },
      todo: 'start it by hand to see why, or fix mcp_servers.dead',
    },
    {
      ...{ name: 'MCP server', state: 'failed', found: 'none: the program is not found' },
      todo: 'start it by hand to see why, or fix mcp_servers.none',
    },
  ]);
});
