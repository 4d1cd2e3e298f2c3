/** GET /api/v1/runs/{run_id}/rows: downloads all rows of a run's statement. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { isStructured } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { ANN, BOB, protectedConfig } from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider } from '../support/running.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-test-rows-'));
const provider = runningProvider();
const env = { ...providerEnv(provider.url), SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' };
let service: TestService;
let bounded: TestService;
beforeAll(async () => {
  service = await testService({ env, config: protectedConfig() });
  bounded = await testService({
    env,
    config: 'workflows: {sql-manipulation-agent: {download_rows: 5, require_approval: true}}',
  });
});
afterAll(async () => {
  await Promise.all([service, bounded].map((each) => each.close()));
  rmSync(folder, { recursive: true });
});

async function ranBy(sql: string, thread_id: string): Promise<string> {
  provider.script = (request) =>
    isStructured(request) ? { sql, explanation: 'As asked.', tables: [] } : 'In words.';
  const turn = { user_prompt: 'Which?', conversation_flow: 'sql-manipulation-agent', thread_id };
  return (await service.chat(turn, ANN)).body.run_id;
}

const rows = (run: string, { query = '', as = ANN as Record<string, string>, at = service } = {}) =>
  at.fetch(`/api/v1/runs/${run}/rows${query}`, { headers: as });

const ALL = 'SELECT a.sale_id, b.name, a.sale_date FROM sales a, stores b ORDER BY 1, 2';

test('a result with more rows than the answer is downloaded completely, as CSV and as Parquet', async () => {
  const run = await ranBy(ALL, 'whole');
  const csv = await rows(run);
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${run}.csv"`);
  const lines = (await csv.text()).trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(10_000);
  expect(lines[0]).toBe('sale_id,name,sale_date');
  expect(lines[1]).toMatch(/^1,[^,]+,\d{4}-\d\d-\d\d$/);
  expect(csv.headers.get('x-skein-rows')).toBe(String(lines.length - 1));
  expect([csv.headers.get('x-skein-cut'), csv.headers.get('content-encoding')]).toEqual([null, null]);
  const parquet = await rows(run, { query: '?format=parquet' });
  expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
  const file = join(folder, 'all.parquet');
  await Bun.write(file, await parquet.arrayBuffer());
  const reader = await DuckDBInstance.create();
  const read = await (await reader.connect()).runAndReadAll(
    `SELECT count(*)::INTEGER, any_value(typeof(sale_date)) FROM '${file}'`,
  );
  reader.closeSync();
  expect(read.getRows()).toEqual([[lines.length - 1, 'DATE']]);
});

test('it belongs to its caller, and is deleted with the thread', async () => {
  const run = await ranBy('SELECT 1 AS n', 'own');
  expect(await (await rows(run)).text()).toBe('n\n1\n');
  expectRefused(await answerOf(rows(run, { as: BOB })), 404, 'RUN_NOT_FOUND');
  expectRefused(await answerOf(rows(run, { as: {} })), 401, 'UNAUTHORIZED');
  expectRefused(await answerOf(rows('unknown')), 404, 'RUN_NOT_FOUND');
  expectRefused(await answerOf(rows(run, { query: '?format=xlsx' })), 400, 'INVALID_REQUEST');
  await service.fetch('/api/v1/threads/own', { method: 'DELETE', headers: ANN });
  expectRefused(await answerOf(rows(run)), 404, 'RUN_NOT_FOUND');
});

test('a run of another workflow, or without a statement, has no rows', async () => {
  provider.script = () => 'Said.';
  const other = await service.chat(
    { user_prompt: 'Hello', conversation_flow: 'knowledge-base-agent', thread_id: 'kb' },
    ANN,
  );
  const { detail } = expectRefused(await answerOf(rows(other.body.run_id)), 404, 'RUN_NOT_FOUND');
  expect(detail).toContain('has no rows');
  expectRefused(await answerOf(rows(await ranBy('', 'nothing'))), 404, 'RUN_NOT_FOUND');
});

test('a rejected statement does not run, and an approved one is truncated at the limit', async () => {
  provider.script = (request) =>
    isStructured(request)
      ? { sql: 'SELECT sale_id FROM sales ORDER BY 1', explanation: '', tables: [] }
      : 'In words.';
  const resumed = async (thread_id: string, approved: boolean) => {
    await bounded.chat({ user_prompt: 'All?', conversation_flow: 'sql-manipulation-agent', thread_id });
    const response = await bounded.fetch(`/api/v1/threads/${thread_id}/resume`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value: { approved } }),
    });
    return ((await response.json()) as { run_id: string }).run_id;
  };
  const refused = rows(await resumed('no', false), { as: {}, at: bounded });
  expectRefused(await answerOf(refused), 404, 'RUN_NOT_FOUND');
  const cut = await rows(await resumed('yes', true), { as: {}, at: bounded });
  expect(await cut.text()).toBe('sale_id\n1\n2\n3\n4\n5\n');
  expect([cut.headers.get('x-skein-rows'), cut.headers.get('x-skein-cut')]).toEqual(['5', 'rows=5']);
});

test('a cancelled download frees its slot for the next', async () => {
  const run = await ranBy(ALL, 'busy');
  for (let turn = 0; turn < 12; turn++) {
    const response = await rows(run);
    expect([turn, response.status]).toEqual([turn, 200]);
    await response.body?.cancel();
  }
});
