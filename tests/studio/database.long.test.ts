/** The tables of the SQL database, and a question about one of them. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { runningProvider, runningService } from '../server/support/running.ts';
import { providerEnv, SAMPLE_DATABASE, testService } from '../support/service.ts';
import { studioTests } from './browser.ts';

const HOSTILE = ['<img src=x onerror="window.harmed=1">', '<script>window.harmed = 2</script>'];

async function database(statements: string[]): Promise<{ path: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-rows-'));
  const path = join(folder, 'rows.duckdb');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

studioTests('the database', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', {}, SAMPLE_DATABASE);

  test('its tables show columns, types, rows and values, and one can be asked about', async () => {
    const page = await studio.open(`${service.url}/studio/database`);
    const table = page.locator('.database-table').filter({ hasText: 'list_price' });
    await table.getByText('60 rows, 7 columns').waitFor();
    const column = table.getByRole('row').filter({ hasText: 'category' });
    await column.getByText('varchar').waitFor();
    await column.getByText('road').waitFor();
    await page.getByLabel('Search tables and columns').fill('list_price');
    expect(await page.locator('.database-table').count()).toBe(1);
    await page.getByLabel('Search tables and columns').fill('nowhere');
    await page.getByText('No matching tables or columns.').waitFor();
    await page.getByLabel('Search tables and columns').fill('');
    await page.getByRole('link', { name: 'Ask about products' }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    expect(await message.inputValue()).toBe('What is in the table products?');
    expect(await page.getByLabel('Workflow').inputValue()).toBe('sql-manipulation-agent');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('article', { name: 'Answer' }).getByText('The tables do not answer this.').waitFor();
    const [run] = (await (await service.fetch('/api/v1/runs')).json()).runs;
    expect(run).toMatchObject({
      workflow: 'sql-manipulation-agent',
      user_prompt: 'What is in the table products?',
    });
  });

  test('hostile rows and names are shown as text', async () => {
    const rows = HOSTILE.map((text) => `('${text}')`).join(', ');
    const { path, remove } = await database([
      'CREATE TABLE "<b>t</b>" ("<i>c</i>" VARCHAR)',
      `INSERT INTO "<b>t</b>" VALUES ${rows}`,
    ]);
    const other = await testService({
      env: providerEnv(provider.url),
      config: `local_sql_db: { database_path: ${path} }`,
    });
    const page = await studio.open(`${other.url}/studio/database`);
    await page.getByText('<b>t</b>', { exact: true }).waitFor();
    for (const text of HOSTILE) await page.getByText(text, { exact: true }).waitFor();
    expect(await page.locator('.page img, .page script, .page b, .page i').count()).toBe(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    await other.close();
    remove();
  });

  test('an empty database says how to fill it', async () => {
    const { path, remove } = await database([]);
    const other = await testService({
      env: providerEnv(provider.url),
      config: `local_sql_db: { database_path: ${path} }`,
    });
    const page = await studio.open(`${other.url}/studio/database`);
    await page.getByText('No tables found').waitFor();
    await page.getByText('bun run skein db seed').waitFor();
    await other.close();
    remove();
  });

  test('a missing database names the setting', async () => {
    const other = await testService({
      env: providerEnv(provider.url),
      config: 'local_sql_db: { database_path: nowhere.duckdb }',
    });
    const page = await studio.open(`${other.url}/studio/database`);
    await page.getByText('DATABASE_CONNECTION_FAILED').waitFor();
    await page.getByText('local_sql_db.database_path', { exact: true }).waitFor();
    await other.close();
  });
});
