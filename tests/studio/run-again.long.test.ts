/** Runs a thread again from a checkpoint or a node, with an edited state, in Skein's own and in adopted graphs. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { GRAPHS_OF_OTHERS, IMPORTS } from './graphs-of-others.ts';

/** Its state has every kind of field. */
const KINDS = `${IMPORTS}
const State = z.object({
  title: z.string().default('A title'),
  count: z.number().int().default(2),
  urgent: z.boolean().default(false),
  tone: z.enum(['plain', 'warm']).default('plain'),
  notes: z.array(z.string()).default([]),
});
export default new StateGraph(State)
  .addNode('look', async ({ count }) => ({ notes: ['looked ' + count] }))
  .addNode('write', async (state) => ({ title: JSON.stringify(state) }))
  .addEdge(START, 'look').addEdge('look', 'write').addEdge('write', END).compile();`;

studioTests('run again from here', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', { ...GRAPHS_OF_OTHERS, kinds: KINDS });

  const open = (path: string) => studio.open(`${service.url}/studio${path}`);
  const ask = async (workflow: string, body: object) =>
    (await service.chat({ conversation_flow: workflow, user_prompt: 'Go.', ...body })).body;
  const onFork = (page: Page) => page.waitForURL((url) => /\/threads\/[0-9a-f-]{36}$/.test(url.pathname));
  const again = (page: Page) => page.getByRole('button', { name: 'Run again from here' });
  const run = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true });
  // The last message is briefly shown twice: from the stream and from the stored conversation.
  const said = (page: Page, text: string) => page.locator('.transcript').getByText(text).first();
  const lit = (page: Page, name: string, status: string) =>
    page.locator(`.graph-node[data-status="${status}"]`, { hasText: name }).waitFor();

  test('a workflow of the project continues from a checkpoint with an edited question, and is compared', async () => {
    await service.chat({ user_prompt: 'My pedal broke', thread_id: 'own' });
    const page = await open('/threads/own/history');
    await page
      .getByRole('link', { name: /next support_responder/ })
      .first()
      .click();
    await again(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Content of messages 1').fill('My bell broke');
    expect(await findings(page)).toEqual([]);
    await run(page).click();
    await onFork(page);
    await page.getByText('re: My bell broke').first().waitFor();
    await page.getByRole('link', { name: 'Compare with original' }).click();
    const row = (name: string) =>
      page.locator('.compare-table tr', { has: page.getByRole('rowheader', { name, exact: true }) });
    expect(await row('Duration').getAttribute('data-differs')).toBe('false');
    // The duration differs, but not the number of tokens.
    expect(await row('support_responder').getAttribute('data-differs')).toBe('false');
    expect(await row('classification_agent').getAttribute('data-differs')).toBe('true');
    const compared = page.getByRole('group', { name: 'support_responder' });
    await compared.locator('.diff-line[data-kind="removed"]', { hasText: 're: My pedal broke' }).waitFor();
    await compared.locator('.diff-line[data-kind="added"]', { hasText: 're: My bell broke' }).waitFor();
    expect(await findings(page)).toEqual([]);
    const { messages } = await (await service.fetch('/api/v1/threads/own/messages')).json();
    expect(messages.map((one: { content: string }) => one.content)[0]).toBe('My pedal broke');
  });

  test('the form has a typed field for each channel, and the graph continues with the values', async () => {
    const { run_id } = await ask('kinds', { input: { count: 3 }, user_prompt: undefined });
    const page = await open(`/runs/${run_id}`);
    await page.locator('.graph-node button', { hasText: 'write' }).first().click();
    await again(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('title').fill('Other');
    await dialog.getByLabel('count').fill('7');
    await dialog.getByLabel('urgent').check();
    await dialog.getByLabel('tone').selectOption('warm');
    await dialog.getByLabel('notes').fill('["mine",]');
    await run(page).click();
    await dialog.getByText('Line 1, column 9: expected a value').waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel('notes').fill('["mine"]');
    await dialog.getByRole('button', { name: 'JSON' }).click();
    expect(JSON.parse(await dialog.getByLabel('State').inputValue())).toEqual({
      ...{ title: 'Other', count: 7, urgent: true, tone: 'warm', notes: ['mine'] },
    });
    await dialog.getByRole('button', { name: 'JSON' }).click();
    await run(page).click();
    await onFork(page);
    await lit(page, 'write', 'good');
    await page.locator('.graph-node', { hasText: 'look' }).getByText('not run').waitFor();
    await page
      .locator('.transcript')
      .getByText(/\\"notes\\":\[\\"mine\\"\]/)
      .first()
      .waitFor();
  });

  test('a node of a subgraph is run again with the state of that subgraph', async () => {
    const { run_id } = await ask('nested', { thread_id: 'nested' });
    const page = await open(`/runs/${run_id}`);
    await page
      .getByRole('list', { name: 'Waterfall' })
      .getByRole('button')
      .filter({ hasText: 'style' })
      .click();
    await page.getByRole('region', { name: 'Node research:check:style' }).waitFor();
    await again(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Next: style in research/check').waitFor();
    const messages = dialog.getByRole('group', { name: /^messages/ });
    expect(await messages.getByRole('combobox').count()).toBe(4);
    await dialog.getByLabel('Content of messages 4').fill('The facts do not hold.');
    await run(page).click();
    await onFork(page);
    await said(page, 'It is written.').waitFor();
    await said(page, 'The facts do not hold.').waitFor();
    await lit(page, 'write', 'good');
    await page.locator('.graph-node', { hasText: 'plan' }).getByText('not run').waitFor();
  });

  test('messages can be added and removed with the keyboard only', async () => {
    await ask('loop', { thread_id: 'keys' });
    const page = await open('/threads/keys/history');
    await page
      .getByRole('link', { name: /next review/ })
      .last()
      .click();
    await again(page).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove messages 1' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Add message' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Content of messages 1').focus();
    await page.keyboard.type('Typed.');
    await run(page).focus();
    await page.keyboard.press('Enter');
    await onFork(page);
    await said(page, 'Draft 3 is reviewed.').waitFor();
    await said(page, 'Typed.').waitFor();
    expect(await page.locator('.transcript').getByText('Go.', { exact: true }).count()).toBe(0);
  });

  test('the form shows the output of a model as text', async () => {
    const words = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await service.chat({ user_prompt: words, thread_id: 'hostile' });
    const page = await open('/threads/hostile/history');
    await again(page).click();
    expect(await page.getByRole('dialog').getByLabel('Content of messages 1').inputValue()).toBe(words);
    expect(await page.title()).not.toMatch(/^[12]$/);
    expect(await page.getByRole('dialog').locator('img').count()).toBe(0);
  });

  for (const look of [
    { width: 390, height: 844, scheme: 'dark' as const },
    { width: 1024, height: 768 },
  ]) {
    test(`the dialog fits a screen of ${look.width} pixels`, async () => {
      const { run_id } = await ask('kinds', { input: { count: 3 }, user_prompt: undefined });
      const page = await studio.open(`${service.url}/studio/runs/${run_id}`, look);
      await page.locator('.graph-node button', { hasText: 'write' }).first().click();
      await again(page).click();
      await page.getByRole('dialog').getByLabel('title').waitFor();
      expect(await findings(page)).toEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
    });
  }
});
