/** The home page: examples if nothing has run, then figures, plots and the last failures. */
import { expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

const PRICED = 'models: [{model: test-model, price: {input: 1, output: 10}}]\n';

studioTests('home', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, PRICED);

  test('without any runs, a sample question is offered and starts a conversation', async () => {
    const page = await studio.open(`${service.url}/studio/home`);
    await page.getByText('No runs in this period').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: /broken pedal/ }).click();
    const field = page.getByRole('textbox', { name: /message/i });
    await page.waitForURL(/draft=/);
    expect(await field.inputValue()).toContain('broken pedal');
  });

  test('on a phone, a long question wraps and nothing is cut off', async () => {
    const page = await studio.open(`${service.url}/studio/home`, { width: 420 });
    await page.getByText('No runs in this period').waitFor();
    await page.getByRole('link', { name: /broken pedal/ }).waitFor();
    const [inside, width] = await page
      .locator('.page')
      .evaluate((one) => [one.scrollWidth, one.clientWidth] as const);
    expect(inside).toBe(width);
    const period = await page.getByLabel('Period').boundingBox();
    expect((period?.x ?? 0) + (period?.width ?? 0)).toBeLessThanOrEqual(420);
  });

  test('runs, failures, times, tokens and cost are shown, by workflow and by prompt version', async () => {
    for (let number = 1; number <= 3; number++) await service.chat({ user_prompt: `Question ${number}` });
    provider.script = () => new Response('{"error":{"message":"the key is wrong"}}', { status: 401 });
    await service.chat({ user_prompt: 'This one fails' });
    provider.script = echoing();
    const page = await studio.open(`${service.url}/studio/home`);
    const tile = (title: string) =>
      page.locator('.tile', { hasText: title }).first().locator('dd').textContent();
    await page.getByRole('table').waitFor();
    expect(await tile('Runs')).toBe('4');
    expect(await tile('Failed')).toBe('1 (25.0%)');
    expect(await tile('Tokens')).toBe('180');
    expect(await tile('Cost')).toBe('0.00072');
    await page.getByRole('img', { name: 'Runs: 4 in total' }).waitFor();
    const rate = page.getByRole('img', { name: 'Error rate: 25.0%' });
    await rate.waitFor();
    expect(await rate.locator('.good').count()).toBe(0);
    for (const title of ['Duration', 'First token']) {
      const plot = page.getByRole('img', {
        name: new RegExp(`^${title}: p50 [\\d.]+ m?s, p95 [\\d.]+ m?s$`),
      });
      const lines = await plot
        .locator('path')
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
      // All runs are on the same day, so each line is a single value.
      expect(lines).toEqual([expect.stringMatching(/^M\S+ \S+H\S+$/), expect.stringMatching(/^M/)]);
    }
    const row = page.getByRole('row', { name: /classification-agent/ });
    expect(await row.getByRole('cell').first().textContent()).toBe('4');
    await page.getByRole('tab', { name: 'By prompt version' }).click();
    await page.getByRole('row', { name: /support_responder\.jinja/ }).waitFor();
    await page.waitForURL(/by=prompt/);
    const failed = page.getByRole('region', { name: 'Latest failures' });
    await failed.getByText('This one fails').waitFor();
    expect(await findings(page)).toEqual([]);
    await failed.getByRole('link', { name: 'This one fails' }).click();
    await page.waitForURL(/\/studio\/runs\//);
  });

  test('one workflow can be selected for all figures and failures', async () => {
    provider.script = () => new Response('{"error":{"message":"the key is wrong"}}', { status: 401 });
    await service.chat({ user_prompt: 'Which bikes?', conversation_flow: 'sql-manipulation-agent' });
    provider.script = echoing();
    const page = await studio.open(`${service.url}/studio/home`);
    await page.getByRole('img', { name: 'Runs: 5 in total' }).waitFor();
    await page.getByLabel('Workflow', { exact: true }).selectOption('sql-manipulation-agent');
    await page.waitForURL(/workflow=sql-manipulation-agent/);
    await page.getByRole('img', { name: 'Runs: 1 in total' }).waitFor();
    await page.getByRole('img', { name: 'Error rate: 100.0%' }).waitFor();
    await page.getByRole('img', { name: 'Duration: none' }).waitFor();
    const failed = page.getByRole('region', { name: 'Latest failures' });
    await failed.getByText('Which bikes?').waitFor();
    expect(await failed.getByRole('listitem').count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Workflow', { exact: true }).selectOption('All workflows');
    await page.getByRole('img', { name: 'Runs: 5 in total' }).waitFor();
  });

  test('a workflow that was removed stays selected', async () => {
    const page = await studio.open(`${service.url}/studio/home?workflow=removed`);
    await page.getByText('No runs in this period').waitFor();
    const filter = page.getByLabel('Workflow', { exact: true });
    expect(await filter.inputValue()).toBe('removed');
    await filter.selectOption('All workflows');
    await page.getByRole('img', { name: 'Runs: 5 in total' }).waitFor();
  });
});
