/** Breakpoints: set at nodes, stored in the tab, sent with turns; and turns that continue step by step. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { GRAPHS_OF_OTHERS } from './graphs-of-others.ts';

studioTests('breakpoints', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', GRAPHS_OF_OTHERS);

  const open = (path: string) => studio.open(`${service.url}/studio${path}`);
  const node = (page: Page, name: string) =>
    page.locator('.graph-node', { has: page.locator('.label', { hasText: new RegExp(`^${name}$`) }) });
  const stop = (page: Page) => page.getByRole('region', { name: 'Run stopped' });
  const answer = (page: Page) => page.getByRole('article', { name: 'Answer' }).last();

  // The last message is briefly shown twice: from the stream and from the stored conversation.
  const said = (page: Page, text: string) => page.locator('.transcript').getByText(text).first();

  async function setBreakpoint(page: Page, name: string, when: 'Stop before' | 'Stop after') {
    await node(page, name).getByRole('button').first().click();
    await page.getByLabel(when).check();
  }
  async function send(page: Page, text: string) {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }

  test('a turn stops at each breakpoint, and breakpoints survive a reload', async () => {
    const page = await open('?workflow=nested');
    await page.getByRole('button', { name: 'Show graph' }).click();
    await setBreakpoint(page, 'plan', 'Stop after');
    await setBreakpoint(page, 'write', 'Stop before');
    await node(page, 'plan').getByRole('img', { name: 'Breakpoint after' }).waitFor();
    await node(page, 'write').getByRole('img', { name: 'Breakpoint before' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await send(page, 'Go.');
    await stop(page).getByText('Stopped after plan').waitFor();
    await node(page, 'plan').getByText('stopped after').waitFor();
    await page.reload();
    await node(page, 'write').getByRole('img', { name: 'Breakpoint before' }).waitFor();
    await stop(page).getByRole('button', { name: 'Continue' }).click();
    await stop(page).getByText('Stopped before write').waitFor();
    await node(page, 'write').getByText('stopped before').waitFor();
    expect(await findings(page)).toEqual([]);
    await stop(page).getByRole('button', { name: 'Continue' }).click();
    await answer(page).getByText('It is written.').waitFor();
    await stop(page).waitFor({ state: 'detached' });
  });

  test('step by step, each node of each graph runs alone, also after a reload', async () => {
    const page = await open('?workflow=nested');
    await page.getByRole('button', { name: 'Show graph' }).click();
    await setBreakpoint(page, 'plan', 'Stop before');
    await send(page, 'Go.');
    await stop(page).getByText('Stopped before plan').waitFor();
    const places = ['research', 'research › collect', 'research › check', 'research › check › facts'];
    for (const place of [...places, 'research › check › style']) {
      await stop(page).getByRole('button', { name: 'Step' }).click();
      await stop(page).getByText(`Stopped before ${place}`, { exact: true }).waitFor();
      await page.reload();
    }
    await stop(page).getByRole('button', { name: 'Continue' }).click();
    await answer(page).getByText('It is written.').waitFor();
  });

  test('a breakpoint in a subgraph is shown on the collapsed node, and the run stops there', async () => {
    const page = await open('?workflow=nested');
    await page.getByRole('button', { name: 'Show graph' }).click();
    await page.getByRole('button', { name: 'Expand research' }).click();
    await setBreakpoint(page, 'collect', 'Stop before');
    await page.getByRole('button', { name: 'Collapse research', exact: true }).click();
    await node(page, 'research').getByRole('img', { name: 'Breakpoint inside' }).waitFor();
    await send(page, 'Go.');
    await stop(page).getByText('Stopped before research › collect').waitFor();
    await page.getByRole('button', { name: 'Expand research' }).click();
    await node(page, 'collect').getByText('stopped before').waitFor();
    await node(page, 'collect').getByRole('button').first().click();
    await page.getByLabel('Stop before').uncheck();
    expect(await page.locator('.breakpoint').count()).toBe(0);
    await stop(page).getByRole('button', { name: 'Continue' }).click();
    await answer(page).getByText('It is written.').waitFor();
  });

  test('a workflow of the project stops at its agents', async () => {
    const page = await open('?workflow=classification-agent');
    await page.getByRole('button', { name: 'Show graph' }).click();
    await setBreakpoint(page, 'support_responder', 'Stop before');
    await send(page, 'My pedal broke');
    await stop(page).getByText('Stopped before support_responder').waitFor();
    await stop(page).getByRole('button', { name: 'Step' }).click();
    await answer(page).getByText('re: My pedal broke').waitFor();
  });

  test("breakpoints belong to one workflow and one tab, and can be set on the workflow's page", async () => {
    const page = await open('/workflows/nested');
    await setBreakpoint(page, 'plan', 'Stop before');
    expect(await findings(page)).toEqual([]);
    await page.goto(`${service.url}/studio?workflow=nested`);
    await page.getByRole('button', { name: 'Show graph' }).click();
    await node(page, 'plan').getByRole('img', { name: 'Breakpoint before' }).waitFor();
    await page.goto(`${service.url}/studio?workflow=loop`);
    await page.getByRole('button', { name: 'Show graph' }).click();
    await node(page, 'draft').waitFor();
    expect(await page.locator('.breakpoint').count()).toBe(0);
    const other = await open('?workflow=nested');
    await other.getByRole('button', { name: 'Show graph' }).click();
    await node(other, 'plan').waitFor();
    expect(await other.locator('.breakpoint').count()).toBe(0);
  });

  test('a fork that is run again also stops at breakpoints', async () => {
    await service.chat({ conversation_flow: 'nested', user_prompt: 'Go.', thread_id: 'again' });
    const page = await open('/threads/again');
    await setBreakpoint(page, 'write', 'Stop before');
    await page.goto(`${service.url}/studio/threads/again/history`);
    await page.getByRole('link', { name: /next research/ }).click();
    await page.getByRole('button', { name: 'Run again from here' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await stop(page).getByText('Stopped before write').waitFor();
    await stop(page).getByRole('button', { name: 'Continue' }).click();
    await said(page, 'It is written.').waitFor();
  });
});
