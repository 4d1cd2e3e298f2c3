/** The pages of workflows: readiness, missing settings, and how to call them. */
import { expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { providerEnv, testService } from '../support/service.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

studioTests('workflows', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', { broken: 'export default 1;' });

  test('the list says which workflows are ready, and opens one with its figures and runs', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'My bell broke' });
    const page = await studio.open(`${service.url}/studio/workflows`);
    const card = page.getByRole('listitem').filter({ hasText: 'classification-agent' });
    await card.getByText('ready').waitFor();
    await card.getByText('1 run, none failed').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'broken' }).getByText('failing').waitFor();
    await card.getByRole('link', { name: 'classification-agent' }).click();
    await page.getByText('1 run, none failed').waitFor();
    const status = await (await service.fetch('/api/v1/workflow-status/classification-agent')).json();
    expect(status.latency_ms.p50).toBeNumber();
    await page.locator('.graph-node').first().waitFor();
    await page
      .getByRole('region', { name: 'External services' })
      .getByText('language model provider')
      .waitFor();
    await page
      .getByRole('region', { name: 'Prompt files' })
      .getByRole('link', { name: 'classification-agent.support_responder.jinja' })
      .waitFor();
    await page
      .getByRole('region', { name: 'Recent runs' })
      .getByRole('link', { name: 'My bell broke' })
      .click();
    await page.waitForURL(/\/runs\//);
  });

  test('the curl command is copied, and works', async () => {
    const page = await studio.open(`${service.url}/studio/workflows/classification-agent`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByText('Copied').waitFor();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    expect(line).toStartWith(`curl -X POST ${service.url}/api/v1/chat`);
    const answer = await Bun.$`sh -c ${line}`.quiet().json();
    expect(answer.agent_response).toContain('support_responder');
  });

  test('a chat uses the workflow from whose page it was started', async () => {
    const page = await studio.open(`${service.url}/studio/workflows/knowledge-base-agent`);
    await page.getByRole('link', { name: 'Start conversation' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await page.getByLabel('Workflow').inputValue()).toBe('knowledge-base-agent');
  });

  test('missing settings are listed, with where to set them', async () => {
    const half = await testService({
      env: providerEnv(provider.url),
      config: 'cloud_sql: {database_name: sales, driver: postgres}',
    });
    const page = await studio.open(`${half.url}/studio/workflows`);
    await page.getByText('1 of 3 not configured').waitFor();
    const card = page.getByRole('listitem').filter({ hasText: 'sql-manipulation-agent' });
    await card.getByText('Not configured').waitFor();
    await card.getByRole('link').click();
    const missing = page.getByRole('region', { name: 'Missing settings' });
    await missing.getByText('cloud_sql.server_name', { exact: true }).waitFor();
    await missing.getByText('SERVICE_CLOUD_SQL__SERVER_NAME').waitFor();
    expect(await findings(page)).toEqual([]);
    await half.close();
  });

  test('a workflow that cannot be loaded says so, and so does one that does not exist', async () => {
    const page = await studio.open(`${service.url}/studio/workflows/broken`);
    await page.getByText('Broken:').waitFor();
    expect(await page.getByRole('region', { name: 'Try it' }).count()).toBe(0);
    await page.goto(`${service.url}/studio/workflows/nothing`);
    await page.getByText('Workflow not found').waitFor();
  });
});
