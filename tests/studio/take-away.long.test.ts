/** Export of runs and conversations from the studio: as complete files, and as links. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

studioTests('exports', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  async function downloaded(
    page: Page,
    click: () => Promise<unknown>,
  ): Promise<{ name: string; text: string }> {
    const [file] = await Promise.all([page.waitForEvent('download'), click()]);
    return { name: file.suggestedFilename(), text: await Bun.file(await file.path()).text() };
  }

  test('a run is exported as one JSON file with its agents, calls and events, or as a trace', async () => {
    provider.script = echoing();
    const { body } = await service.chat({ user_prompt: 'Take me away' });
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    await page.getByText('succeeded').first().waitFor();
    const take = page.getByLabel('Export run');
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.locator('.event', { hasText: /^\d+\s*end/ }).waitFor();
    const file = await downloaded(page, () => take.selectOption('JSON'));
    expect(file.name).toBe(`run-${body.run_id}.json`);
    const { run, calls, events } = JSON.parse(file.text);
    expect(run).toMatchObject({ run_id: body.run_id, user_prompt: 'Take me away', status: 'succeeded' });
    expect(run.agents.map(({ agent }: { agent: string }) => agent)).toContain('support_responder');
    expect(calls.calls.at(-1).messages.at(-1).content).toContain('Take me away');
    expect(events.complete).toBe(true);
    expect(events.events.at(0).event).toBe('run');
    expect(events.events.at(-1).event).toBe('end');
    const trace = await downloaded(page, () => take.selectOption('Trace (OTLP)'));
    expect(trace.name).toBe(`trace-${body.run_id}.json`);
    expect(JSON.parse(trace.text).resourceSpans[0].scopeSpans[0].spans[0].name).toBe(
      'invoke_workflow classification-agent',
    );
    expect(await findings(page)).toEqual([]);
  });

  test('a link to a run is copied, and opens it', async () => {
    const { body } = await service.chat({ user_prompt: 'Link to me' });
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied').waitFor();
    await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await page.getByRole('heading', { name: 'Link to me' }).waitFor();
  });

  test('a conversation is exported as one Markdown file with a safe name, with the keyboard only', async () => {
    provider.script = echoing();
    for (const user_prompt of ['../../<b>Where?</b>', 'And then?'])
      await service.chat({ user_prompt, thread_id: 'away' });
    const page = await studio.open(`${service.url}/studio/threads/away`);
    await page.getByRole('log').getByText('re: And then?').waitFor();
    await page.getByRole('button', { name: 'Export' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Export conversation' });
    await dialog.getByRole('button', { name: 'Download Markdown' }).waitFor();
    expect(await findings(page)).toEqual([]);
    const { name, text } = await downloaded(page, () => page.keyboard.press('Enter'));
    expect(name).toBe('conversation-b-Where-b.md');
    expect(text.match(/^## Question/gm)?.length).toBe(2);
    expect(text).toContain('```text\n../../<b>Where?</b>\n```');
    expect(text).toContain('> re: And then?');
    expect(text).toContain('### support\\_responder');
  });
});
