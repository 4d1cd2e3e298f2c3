/** Search with Ctrl K, and the page that searches the texts of runs. */
import { expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

studioTests('search', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  test('Ctrl K finds pages, workflows, conversations and messages, from any page, with the keyboard only', async () => {
    const prompt = 'Where does the zeppelin <b>land</b>?';
    const { body } = await service.chat({ user_prompt: prompt, thread_id: 'port' });
    const page = await studio.open(`${service.url}/studio/database`);
    await page.getByRole('heading', { name: 'Database' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Search' });
    async function find(words: string) {
      await page.keyboard.press('Control+k');
      await field.waitFor();
      await page.keyboard.type(words);
    }
    await find('zeppelin');
    const choices = page.getByRole('option');
    await choices.filter({ hasText: 'Question' }).waitFor();
    const mark = choices.filter({ hasText: 'Question' }).locator('mark');
    expect(await mark.textContent()).toBe('zeppelin');
    expect(await choices.filter({ hasText: 'Question' }).textContent()).toContain('<b>land</b>');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/studio/threads/port');
    await find('zeppelin');
    await choices.filter({ hasText: 'Question' }).waitFor();
    const place = (await choices.allTextContents()).findIndex((text) => text.includes('Question'));
    for (let step = 0; step < place; step++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/studio\/runs\//);
    await page.getByRole('heading', { name: body.user_prompt ?? 'Where does' }).waitFor();
    await find('sql-man');
    await choices.filter({ hasText: 'sql-manipulation-agent' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('no such thing at all');
    await page.getByText('No results. Try different words.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  test('a result shows the found word, however far into the text it is', async () => {
    await service.chat({
      user_prompt: `${'Many words come before it. '.repeat(8)}Here is the windmill, at last.`,
    });
    const page = await studio.open(`${service.url}/studio/search`, { width: 900 });
    await page.getByText('Ctrl K').waitFor();
    expect(await page.getByRole('link', { name: 'Search', exact: true }).getAttribute('title')).toContain(
      'Ctrl K',
    );
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await page.keyboard.type('windmill');
    const mark = page.getByRole('option').filter({ hasText: 'Question' }).locator('mark').first();
    await mark.waitFor();
    const shown = await mark.evaluate((one) => {
      const line = one.closest('.cut')?.getBoundingClientRect();
      return line !== undefined && one.getBoundingClientRect().right <= line.right;
    });
    expect(shown).toBe(true);
  });

  test('the page finds the texts that contain all words, filtered by what its address says', async () => {
    provider.script = echoing({ answer: 'A gearbox has gears.' });
    for (let number = 1; number <= 35; number++)
      await service.chat({ user_prompt: `Gearbox number ${number}` });
    const page = await studio.open(`${service.url}/studio/search`);
    await page.getByText('Search all runs').waitFor();
    await page.getByLabel('Search runs').fill('gearbox number');
    await page.keyboard.press('Enter');
    const hits = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    await hits.filter({ hasText: 'Gearbox number 35' }).first().waitFor();
    await page.getByLabel('Kind').selectOption('Questions');
    await page.waitForURL(/kind=question/);
    await page.waitForFunction(() => document.querySelectorAll('.hit').length === 30);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.hit').length === 35);
    await page.getByLabel('Status', { exact: true }).selectOption('failed');
    await page.getByText('No results').waitFor();
    await page.reload();
    await page.getByText('No results').waitFor();
    expect(await page.getByLabel('Kind').inputValue()).toBe('question');
    await page.getByLabel('Status', { exact: true }).selectOption('');
    await page.getByLabel('Time').selectOption('Last 24 hours');
    await hits.first().waitFor();
    await page.getByText('More filters').click();
    await page.getByLabel('Min. tokens').fill('1000000');
    await page.keyboard.press('Enter');
    await page.getByText('No results').waitFor();
    expect(new URL(page.url()).searchParams.get('min_tokens')).toBe('1000000');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove filter: at least 1,000,000 tokens' }).click();
    await hits.first().waitFor();
    await page.getByLabel('Min. seconds').fill('0.001');
    await page.getByLabel('Error code').fill('run_timeout');
    await page.keyboard.press('Enter');
    await page.getByText('No results').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await hits.first().getByRole('link').first().click();
    await page.waitForURL(/\/studio\/runs\//);
  });
});
