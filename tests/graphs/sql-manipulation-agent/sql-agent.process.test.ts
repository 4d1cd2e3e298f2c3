/** sql-manipulation-agent through the service: questions, repairs, approval, failures, over the sample database. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { blocksOf, conversationOf, echoing } from '../../server/support/calls.ts';
import { runningProvider } from '../../server/support/running.ts';
import { allEvents } from '../../support/events.ts';
import { spawnCommand } from '../../support/process.ts';
import type { ChatRequest, Reply } from '../../support/provider.ts';
import { isStructured } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';

const provider = runningProvider();
let service: TestService;
let approving: TestService;
beforeAll(async () => {
  const env = { ...providerEnv(provider.url), SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' };
  service = await testService({ env });
  approving = await testService({
    env,
    config: 'workflows: {sql-manipulation-agent: {require_approval: true}}',
  });
});
afterAll(async () => {
  await service.close();
  await approving.close();
});

/** The model writes these statements, one per call, and answers with text. */
function writing(...statements: string[]): void {
  let calls = 0;
  provider.script = (request: ChatRequest): Reply =>
    isStructured(request)
      ? { sql: statements[calls++] ?? '', explanation: 'As asked.', tables: [] }
      : 'In words.';
}

const ask = (user_prompt: string, more: object = {}, at = service) =>
  at.chat({ user_prompt, conversation_flow: 'sql-manipulation-agent', ...more });

async function resume(thread: string, value: unknown) {
  const response = await approving.fetch(`/api/v1/threads/${thread}/resume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  return { status: response.status, body: (await response.json()) as any };
}

const BY_CATEGORY = 'SELECT category, count(*) AS products FROM products GROUP BY category ORDER BY category';

test('a question is answered with its SQL, its rows and text', async () => {
  writing(`\`\`\`sql\n${BY_CATEGORY};\n\`\`\``);
  const { status, body } = await ask('How many products are in each category?');
  expect(status).toBe(200);
  const [{ agent, content, data }] = body.outputs;
  expect(agent).toBe('sql_manipulation_agent');
  expect(data).toMatchObject({
    sql: BY_CATEGORY,
    columns: [
      { name: 'category', type: 'VARCHAR' },
      { name: 'products', type: 'BIGINT' },
    ],
    row_count: 6,
    truncated: false,
    tables: ['products'],
    chart: { mark: 'bar', encoding: { x: { field: 'category' }, y: { field: 'products' } } },
  });
  expect(data.rows[0].category).toBe('city');
  expect(data.checks).toContain('select_only');
  expect(data.duration_ms).toBeGreaterThan(0);
  expect(content).toStartWith(
    `In words.\n\n\`\`\`sql\n${BY_CATEGORY}\n\`\`\`\n\n| category | products |\n| --- | --- |\n| city |`,
  );
  expect(content).toEndWith('\n\n6 rows.');
  const [write, answer] = provider.requests;
  expect(write && blocksOf(write)).toContain('table "products"');
  expect(answer && blocksOf(answer)).toContain('row ["city"');
});

test('its progress is streamed', async () => {
  writing(BY_CATEGORY);
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user_prompt: 'By category?',
      conversation_flow: 'sql-manipulation-agent',
      stream: true,
    }),
  });
  const events = (await allEvents(response)).filter(({ event }) => event !== 'token');
  const agentEvents = events.filter(({ data }) => data.step === undefined);
  expect(
    agentEvents.map(({ event, data }) => data.state ?? (event === 'status' ? data.text : event)),
  ).toEqual([
    ...['run', 'started', 'reading the tables', 'writing a query', 'running SQL'],
    ...['finished', 'response', 'end'],
  ]);
  const steps = events.filter(({ data }) => data.step !== undefined);
  expect(steps.map(({ data }) => `${data.text} ${data.state}`)).toEqual(
    ['read schema', 'write query', 'check query', 'run query', 'answer'].flatMap((step) => [
      `${step} started`,
      `${step} finished`,
    ]),
  );
});

test('a statement that is rejected or fails is rewritten with the reason', async () => {
  writing('DROP TABLE products', 'SELECT colour FROM products', BY_CATEGORY);
  const { body } = await ask('By category?');
  expect(body.outputs[0].data.sql).toBe(BY_CATEGORY);
  const [, second, third] = provider.requests.map(blocksOf);
  expect(second).toContain('select_only');
  expect(third).toContain('colour');
  expect(body.token_count).toBe(4 * 30);
});

test('after two repairs the turn fails with the error of the database', async () => {
  writing('SELECT a FROM products', 'SELECT b FROM products', 'SELECT c FROM products', BY_CATEGORY);
  const { status, body } = await ask('By category?', { thread_id: 'fails' });
  expect({ status, code: body.error_code, message: body.message }).toEqual({
    status: 500,
    code: 'SQL_EXECUTION_FAILED',
    message: 'SQL query execution failed',
  });
  expect(body.detail).toContain('"c"');
  expect(body.detail).not.toContain(service.folder);
  expect(provider.requests).toHaveLength(3);
});

test('a question that the schema cannot answer is declined, and nothing runs', async () => {
  provider.script = () => ({ sql: '', explanation: 'There is no weather here.', tables: [] });
  const { body } = await ask('Will it rain?');
  expect(body.agent_response).toBe('There is no weather here.');
  expect(body.outputs[0].data).toMatchObject({ sql: '', rows: [], row_count: 0, chart: null });
  expect(provider.requests).toHaveLength(1);
});

test('a follow-up includes the previous question and statement', async () => {
  writing(BY_CATEGORY, BY_CATEGORY);
  await ask('How many products are in each category?', { thread_id: 'follow' });
  await ask('And brands?', { thread_id: 'follow' });
  const conversation = provider.requests.map(conversationOf)[2] ?? [];
  expect(conversation[0]).toBe('How many products are in each category?');
  expect(conversation[1]).toContain(BY_CATEGORY);
  expect(conversation[2]).toBe('And brands?');
});

test('with approval, a person sees the statement before it runs', async () => {
  writing(BY_CATEGORY);
  const first = await ask('By category?', { thread_id: 'ok' }, approving);
  expect(first.body.interrupt.value).toEqual({
    sql: BY_CATEGORY,
    explanation: 'As asked.',
    tables: ['products'],
  });
  const { body } = await resume('ok', { approved: true });
  expect(body.outputs[0].data.row_count).toBe(6);
  expect(provider.requests).toHaveLength(2);
});

test('a person can reject the statement, or write another one, which is also checked', async () => {
  writing(BY_CATEGORY);
  await ask('By category?', { thread_id: 'no' }, approving);
  const refused = await resume('no', { approved: false });
  expect(refused.body.agent_response).toContain('was not approved');
  expect(refused.body.outputs[0].data).toMatchObject({ sql: BY_CATEGORY, rows: [] });
  writing(BY_CATEGORY);
  await ask('By category?', { thread_id: 'own' }, approving);
  const own = await resume('own', { approved: false, sql: 'SELECT count(*) AS n FROM stores;' });
  expect(own.body.outputs[0].data).toMatchObject({
    sql: 'SELECT count(*) AS n FROM stores',
    tables: ['stores'],
    row_count: 1,
  });
  writing(BY_CATEGORY, 'SELECT count(*) AS m FROM stores');
  await ask('By category?', { thread_id: 'bad' }, approving);
  const bad = await resume('bad', { approved: true, sql: 'DELETE FROM stores' });
  expect(bad.body.interrupt.value.sql).toBe('SELECT count(*) AS m FROM stores');
  expect((await resume('bad', { approved: true })).body.outputs[0].data.row_count).toBe(1);
});

test('an invalid answer is rejected, and the question stays open', async () => {
  writing(BY_CATEGORY);
  await ask('By category?', { thread_id: 'shape' }, approving);
  for (const value of ['yes', null, { approved: 'yes' }, { approved: true, sql: 1 }, [true]]) {
    const { status, body } = await resume('shape', value);
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: 'value: expected {approved: boolean, sql?: string}',
    });
  }
  expect((await resume('shape', { approved: true })).status).toBe(200);
});

test('a missing database and one without tables are reported', async () => {
  const missing = await testService({
    env: providerEnv(provider.url),
    config: 'local_sql_db: {database_path: ./nope.duckdb}',
  });
  writing(BY_CATEGORY);
  const { status, body } = await ask('By category?', {}, missing);
  expect({ status, code: body.error_code, message: body.message }).toEqual({
    status: 500,
    code: 'DATABASE_CONNECTION_FAILED',
    message: 'Database connection failed',
  });
  const instance = await DuckDBInstance.create(join(missing.folder, 'nope.duckdb'));
  instance.closeSync();
  expect((await ask('By category?', {}, missing)).body).toMatchObject({
    error_code: 'NO_TABLES_FOUND',
    message: 'No tables found',
  });
  await missing.close();
});

test('a table that is imported while the service runs is available for the next question', async () => {
  writing(BY_CATEGORY, 'SELECT city FROM weather ORDER BY city');
  await ask('By category?');
  const file = join(service.folder, 'weather.csv');
  await Bun.write(file, 'city,degrees\nBerlin,24.5\nMunich,27\n');
  const command = spawnCommand(['db', 'import', file], service.folder);
  await Array.fromAsync(command.lines);
  expect({ code: await command.exited, output: command.output() }).toMatchObject({ code: 0 });
  const { body } = await ask('Which cities?');
  expect(body.outputs[0].data.rows).toEqual([{ city: 'Berlin' }, { city: 'Munich' }]);
});

test('an incomplete server configuration is an error, and never falls back to the local data', async () => {
  const half = await testService({
    env: { ...providerEnv(provider.url), SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' },
    config: 'cloud_sql: {database_name: sales, driver: postgres}',
  });
  writing(BY_CATEGORY);
  const { status, body } = await ask('By category?', {}, half);
  expect({ status, code: body.error_code, message: body.message }).toEqual({
    status: 500,
    code: 'CONFIGURATION_ERROR',
    message:
      "Validation error in field 'cloud_sql.server_name': missing; set it or cloud_sql.connection_string",
  });
  const entry = await (await half.fetch('/api/v1/workflow-status/sql_manipulation_agent')).json();
  expect(entry).toMatchObject({
    status: 'unconfigured',
    configured: false,
    ready: false,
    missing_config: ['cloud_sql.server_name'],
    external_services: ['language model provider', 'SQL database server (experimental)'],
  });
  provider.script = echoing();
  expect((await half.chat({ user_prompt: 'x' })).status).toBe(200);
  await half.close();
});

test('an unreachable server is a failed connection, and the error does not contain its address', async () => {
  const away = await testService({
    env: { ...providerEnv(provider.url), SQL_USERNAME: 'reader', SQL_PASSWORD: 'sql-secret' },
    config: 'cloud_sql: {database_name: sales, driver: postgres, server_name: "127.0.0.1:9"}',
  });
  writing(BY_CATEGORY);
  const { status, body } = await ask('By category?', {}, away);
  expect({ status, code: body.error_code }).toEqual({ status: 500, code: 'DATABASE_CONNECTION_FAILED' });
  expect(JSON.stringify(body)).not.toMatch(/sql-secret|127\.0\.0\.1|reader/);
  await away.close();
});
