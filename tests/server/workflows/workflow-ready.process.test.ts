/** Whether a workflow is ready: its files exist on disk, otherwise the reason. */
import { afterEach, expect, test } from 'bun:test';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSampleDatabase } from '../../../tools/sql/sample/create.ts';
import { SAMPLE_DATABASE, type TestOptions, type TestService, testService } from '../../support/service.ts';
import { answerOf } from '../support/refused.ts';
import { until } from '../support/until.ts';

let service: TestService | undefined;
afterEach(() => service?.close());

const SQL = 'sql-manipulation-agent';
const KNOWLEDGE = 'knowledge-base-agent';

/** Contains the built-in SQL workflow. */
const RECEPTION = `
export default workflow({
  description: 'Hands on.', example: 'Hello', agents: () => [],
  build: ({ coreWorkflow }) => new StateGraph(Conversation)
    .addNode(...coreWorkflow('${SQL}')).addEdge(START, '${SQL}').addEdge('${SQL}', END),
});`;

async function open(options: TestOptions): Promise<TestService> {
  service = await testService(options);
  return service;
}

const get = async (at: TestService, path: string) => (await answerOf(at.fetch(`/api/v1/${path}`))).body;
const statusOf = (at: TestService, name: string) => get(at, `workflow-status/${name}`);
const readyOf = async (at: TestService, name: string) => (await statusOf(at, name)).ready;

test('without its database file, the SQL workflow is not ready, nor is one that contains it, until the file exists', async () => {
  const at = await open({
    config: 'local_sql_db: {database_path: ./shop.duckdb}',
    graphs: { reception: RECEPTION },
  });
  const reason =
    'local_sql_db.database_path: the file does not exist. Run skein db import or skein db seed, or change the setting.';
  for (const name of [SQL, 'reception']) {
    expect(await statusOf(at, name)).toMatchObject({
      ...{ ready: false, ready_detail: reason, status: 'failing' },
      ...{ configured: true, missing_config: [] },
    });
  }
  const { workflows, summary } = await get(at, 'workflows');
  const ready = workflows.map((one: { workflow: string; ready: boolean }) => [one.workflow, one.ready]);
  expect(Object.fromEntries(ready)).toEqual({
    'classification-agent': true,
    [KNOWLEDGE]: true,
    [SQL]: false,
    reception: false,
  });
  expect(summary).toMatchObject({ unconfigured: 0 });
  await createSampleDatabase(join(at.folder, 'shop.duckdb'));
  for (const name of [SQL, 'reception'])
    expect(await statusOf(at, name)).toMatchObject({ ready: true, ready_detail: null, status: 'ready' });
});

test('the sample database counts as present while it is created, but not after it is deleted', async () => {
  const at = await open({ env: SAMPLE_DATABASE });
  expect(await readyOf(at, SQL)).toBe(true);
  const file = join(at.folder, '.tmp/sample.duckdb');
  const { status } = await at.chat({ user_prompt: 'How many stores are there?', conversation_flow: SQL });
  expect(status).toBe(200);
  renameSync(file, `${file}.away`);
  expect(await statusOf(at, SQL)).toMatchObject({ ready: false, status: 'failing' });
  renameSync(`${file}.away`, file);
  expect(await readyOf(at, SQL)).toBe(true);
});

test('a folder instead of the database file is a reason, too', async () => {
  const at = await open({ config: 'local_sql_db: {database_path: .}' });
  expect((await statusOf(at, SQL)).ready_detail).toBe('local_sql_db.database_path: expected a file');
});

test('without its embedding model or its documents folder, the knowledge base is not ready', async () => {
  const modelless = await open({ config: 'knowledge_base: {embedding_folder: ./model}' });
  expect(await statusOf(modelless, KNOWLEDGE)).toMatchObject({
    ready: false,
    ready_detail:
      'knowledge_base.embedding_folder: the folder does not exist. Create it or change the setting.',
  });
  await modelless.close();
  const at = await open({});
  await until(async () => (await get(at, 'knowledge/documents')).documents.length === 0);
  expect(await readyOf(at, KNOWLEDGE)).toBe(true);
  rmSync(join(at.folder, '.tmp/knowledge_base'), { recursive: true });
  const detail = 'knowledge_base.documents_path: the folder does not exist. Create it or change the setting.';
  expect(await statusOf(at, KNOWLEDGE)).toMatchObject({ ready: false, ready_detail: detail });
});

test('a workflow that cannot be loaded, and one without its settings, have their reason in the same field', async () => {
  const at = await open({
    config: 'cloud_sql: {database_name: sales, driver: postgres}',
    graphs: { broken: 'export default 1;' },
  });
  expect((await statusOf(at, 'broken')).ready_detail).toContain('graphs/broken/graph.ts: ');
  expect((await statusOf(at, SQL)).ready_detail).toContain("field 'cloud_sql.server_name'");
});
