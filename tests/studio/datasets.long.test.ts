/** From a bad answer to a test: review, datasets, their runs side by side, and `skein eval` on the same file. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { echoing, questionOf } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { until } from '../server/support/until.ts';
import type { ChatRequest } from '../support/provider.ts';
import { runCommand } from '../support/run-command.ts';
import { findings } from './axe.ts';
import { EVERY_LOOK, studioTests } from './browser.ts';

studioTests('datasets', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);
  const fileOf = (name: string) => join(service.folder, '.files/datasets', `${name}.jsonl`);
  const casesOf = (name: string) =>
    readFileSync(fileOf(name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  async function put(path: string, body: object, method = 'PUT'): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await service.fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
  }
  /** The id of a result that has ended. */
  async function resultOf(dataset: string): Promise<string> {
    await put(`/datasets/${dataset}/results`, { workflow: 'classification-agent' }, 'POST');
    const newest = async () => {
      const answer = await service.fetch(`/api/v1/datasets/${dataset}/results`);
      return ((await answer.json()) as { results: { result_id: string; status: string }[] }).results[0];
    };
    await until(async () => (await newest())?.status === 'finished', 20_000);
    return (await newest())?.result_id ?? '';
  }
  const add = (dataset: string, added: object) => put(`/datasets/${dataset}/cases`, added, 'POST');
  const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });

  test('a bad answer is reviewed and its corrected answer becomes a case, with the keyboard only', async () => {
    const { body } = await service.chat({ user_prompt: 'How long is the <b>warranty</b>?' });
    await put(`/messages/${body.message_id}/feedback`, {
      positive_feedback: false,
      comment: 'It is five years.',
    });
    const other = await service.chat({ user_prompt: 'Nothing to learn here' });
    await put(`/messages/${other.body.message_id}/feedback`, { rating: 1 });
    const page = await studio.open(`${service.url}/studio/review`);
    const cards = page.getByRole('list', { name: 'Answers' }).getByRole('listitem');
    const card = cards.filter({ hasText: '<b>warranty</b>' });
    await card.getByText('It is five years.').waitFor();
    expect(await cards.count()).toBe(2);
    expect(await findings(page)).toEqual([]);
    await card.getByLabel('Correct answer').focus();
    await page.keyboard.type('Five years.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog(page, 'Add to dataset').getByLabel('Dataset').waitFor();
    await page.keyboard.type('../shop');
    await page.keyboard.press('Enter');
    await page.getByText('Up to 64 letters').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('shop');
    await page.keyboard.press('Enter');
    await dialog(page, 'Case added').waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    expect(casesOf('shop')).toEqual([
      {
        id: expect.stringMatching(/^case-/),
        prompt: 'How long is the <b>warranty</b>?',
        expect: { exact: 'Five years.' },
        notes: 'It is five years.',
        source: { run_id: body.run_id, workflow: 'classification-agent' },
      },
    ]);
    await cards.getByRole('button', { name: 'Mark as reviewed' }).click();
    await page.getByText('Nothing to review').waitFor();
    await page.getByLabel('Show').selectOption('Reviewed');
    await page.waitForURL(/reviewed=true/);
    await card.waitFor();
    expect(await card.getByLabel('Correct answer').inputValue()).toBe('Five years.');
  });

  test("a run and a node's output become cases, with the correction as the expected answer", async () => {
    const { body } = await service.chat({ user_prompt: 'My pedal broke' });
    await put(`/messages/${body.message_id}/feedback`, { positive_feedback: false });
    await put(`/reviews/${body.message_id}`, { reviewed: true, corrected_answer: 'Send a photo.' });
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    const listed = Promise.withResolvers<void>();
    await page.route('**/api/v1/datasets', async (route) => {
      await listed.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    const form = dialog(page, 'Add to dataset');
    await form.getByRole('status', { name: 'Loading' }).waitFor();
    listed.resolve();
    expect(await form.getByLabel('Expected answer', { exact: true }).inputValue()).toBe('Send a photo.');
    // The suggestion is selected, so that the typed name replaces it.
    expect(await form.getByLabel('Dataset').inputValue()).not.toBe('');
    await page.keyboard.type('runs');
    await form.getByLabel('Tags').fill('pedals, support');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog(page, 'Case added').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('button', { name: 'Add output to dataset' }).click();
    await form.getByLabel('How to judge the answer').selectOption('Contains each line');
    await form.getByLabel('Expected answer', { exact: true }).fill('pedal\n\n photo ');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    // The dialog moves the focus to Close when it confirms. Before that, Enter could go to another element.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Close');
    // Not a click, because the dialog shrinks at that moment and a click beside it would close it.
    await dialog(page, 'Case added').getByRole('link', { name: 'runs' }).press('Enter');
    await page.waitForURL('**/studio/datasets/runs');
    await page.getByRole('list', { name: 'Cases' }).getByText('Send a photo.').waitFor();
    const [first, second] = casesOf('runs');
    expect(first).toMatchObject({ tags: ['pedals', 'support'], source: { run_id: body.run_id } });
    expect(second).toMatchObject({ prompt: 'My pedal broke', expect: { contains: ['pedal', 'photo'] } });
    expect(await findings(page)).toEqual([]);
  });

  test('a model call becomes a case, which the studio and `skein eval` send again with the current prompt file', async () => {
    provider.script = echoing({ answer: 'Send it in.' });
    const { body } = await service.chat({ user_prompt: 'My lamp broke' });
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}?node=support_responder`);
    await page.getByRole('tab', { name: 'Model calls 1' }).click();
    await page.locator('details.call summary').click();
    await page.getByRole('button', { name: 'Add call to dataset' }).click();
    const form = dialog(page, 'Add to dataset');
    await form.getByLabel('Model call').waitFor();
    expect(await form.getByLabel('Expected answer', { exact: true }).inputValue()).toBe('Send it in.');
    expect(await findings(page)).toEqual([]);
    await form.getByLabel('Dataset').fill('model-calls');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog(page, 'Case added').getByRole('link', { name: 'model-calls' }).click();
    const item = page.getByRole('list', { name: 'Cases' }).getByRole('listitem');
    await item.filter({ hasText: 'My lamp broke' }).getByText('model call').waitFor();
    const [made] = casesOf('model-calls');
    const file = 'classification-agent.support_responder.jinja';
    expect(made).toMatchObject({
      call: { prompts: [{ filename: file, revision_id: 'default' }] },
      source: { run_id: body.run_id },
    });
    const content = 'Answer as a poet.';
    await put(`/prompts/update/default/${file}`, { content }, 'POST');
    const poet = ({ messages }: ChatRequest) =>
      messages.some((one) => one.content.includes(content)) ? 'A poem.' : 'Send it in.';
    provider.script = echoing({ answer: poet });
    await page.getByLabel('Workflow').selectOption('classification-agent');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('0 of 1 passed').first().waitFor();
    await page.locator('.case summary').filter({ hasText: 'My lamp broke' }).click();
    await page.getByText('A poem.').waitFor();
    expect(await page.getByRole('link', { name: 'Ask in a conversation' }).count()).toBe(0);
    const args = ['eval', 'classification-agent', fileOf('model-calls'), '--url', service.url];
    const { out, code } = await runCommand(args, service.folder);
    expect(out).toContain('0 of 1 passed (0.0 %)');
    expect(code).toBe(1);
  });

  test('two runs are compared: regressions come first, with the differing words marked', async () => {
    for (const prompt of ['One', 'Two', 'Three'])
      await add('shop-hours', { id: prompt.toLowerCase(), prompt, expect: { contains: ['open at nine'] } });
    const answering = (answers: Record<string, string>) => {
      const answerTo = (request: ChatRequest) => answers[questionOf(request)] ?? 'We open at nine.';
      provider.script = echoing({ answer: answerTo });
    };
    const page = await studio.open(`${service.url}/studio/datasets/shop-hours`);
    const run = page.getByRole('button', { name: 'Run', exact: true });
    answering({ Three: 'We open late.' });
    await page.getByLabel('Workflow').selectOption('classification-agent');
    await run.click();
    await page.getByText('2 of 3 passed').first().waitFor();
    await page.getByRole('heading', { name: 'Failing 1' }).waitFor();
    answering({ Two: 'We open at ten.' });
    await put(
      '/prompts/update/default/classification-agent.support_responder.jinja',
      { content: 'Be brief.' },
      'POST',
    );
    await run.click();
    const broke = page.getByRole('region', { name: 'Regressed' });
    await broke.waitFor();
    expect(await broke.getByRole('listitem').count()).toBe(1);
    expect(await broke.locator('del').allTextContents()).toContain('nine.');
    expect(await broke.locator('ins').allTextContents()).toContain('ten.');
    await broke.getByText('lacks "open at nine"').waitFor();
    await page.getByRole('region', { name: 'Fixed' }).getByText('Three', { exact: true }).waitFor();
    await page
      .getByRole('list', { name: 'Changes since the compared result' })
      .getByText(/: default v\d+, was default( v\d+|, shipped)$/)
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await broke.locator('ins').first().waitFor();
    await page.getByLabel('Compare with').selectOption('None');
    await page.getByRole('region', { name: 'Failing', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Results 2' }).click();
    await page.waitForURL(/view=results/);
    expect(await page.getByRole('row').count()).toBe(3);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Datasets' }).first().click();
    await page.getByRole('row', { name: /shop-hours 3 2 of 3 passed/ }).waitFor();
  });

  test('`skein eval` reads the file that the studio wrote', async () => {
    const page = await studio.open(`${service.url}/studio/datasets`);
    await page.getByRole('button', { name: 'New case' }).click();
    const form = dialog(page, 'Add to dataset');
    await form.getByLabel('Dataset').fill('evaluated');
    await form.getByLabel('Question').fill('My bike\nbroke "again"');
    await form.getByLabel('How to judge the answer').selectOption('Meets an expectation (JSON)');
    const json = form.getByLabel('Expected answer', { exact: true });
    await json.fill('{"json": {"outputs[0].data.category": support}}');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByText(/Line 1, column 39/).waitFor();
    await json.fill('{"json": {"outputs[0].data.category": "support"}}');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog(page, 'Case added').waitFor();
    await add('evaluated', { id: 'wrong', prompt: 'Hello', expect: { contains: ['zzz'] } });
    const args = ['eval', 'classification-agent', fileOf('evaluated'), '--url', service.url];
    const { out, code } = await runCommand(args, service.folder);
    expect(out).toContain('1 of 2 passed (50.0 %)');
    expect(out).toMatch(/✗ wrong.*lacks "zzz"/s);
    expect(code).toBe(1);
  });

  test('a case can be edited and removed, and one that changed in the meantime is not overwritten', async () => {
    await add('edited', { id: 'a', prompt: 'First', thread: 'talk', expect: { exact: 'Hi' } });
    const page = await studio.open(`${service.url}/studio/datasets/edited`, { width: 390 });
    page.on('dialog', (asked) => void asked.accept());
    await page.getByRole('button', { name: 'Edit case: First' }).click();
    const form = dialog(page, 'Edit case');
    await form.getByLabel('Expected answer', { exact: true }).fill('Hello');
    const [before] = casesOf('edited');
    writeFileSync(fileOf('edited'), `${JSON.stringify({ ...before, notes: 'By hand.' })}\n`);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('It may have been changed or removed in the meantime').waitFor();
    expect(casesOf('edited')).toEqual([{ ...before, notes: 'By hand.' }]);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByText('By hand.').waitFor();
    await page.getByRole('button', { name: 'Edit case: First' }).click();
    await form.getByLabel('Expected answer', { exact: true }).fill('Hello');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(casesOf('edited')).toEqual([{ ...before, expect: { exact: 'Hello' }, notes: 'By hand.' }]);
    await page.getByRole('button', { name: 'Delete case: First' }).click();
    await page.getByText("Dataset 'edited' not found").waitFor();
    expect(existsSync(fileOf('edited'))).toBe(false);
  });

  test('a line that was broken by hand is reported with its number', async () => {
    await add('broken', { prompt: 'Fine', expect: { exact: 'Hi' } });
    writeFileSync(fileOf('broken'), `${readFileSync(fileOf('broken'), 'utf8')}{"prompt": }\n`);
    const page = await studio.open(`${service.url}/studio/datasets/broken`, { scheme: 'dark' });
    await page.getByText('broken.jsonl, line 2, column 12: is not a JSON object').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    expect(await findings(page)).toEqual([]);
  });

  test('the pages fit small and large screens, also in dark mode', async () => {
    await add('wide', {
      prompt: 'x'.repeat(300),
      expect: { exact: 'y'.repeat(300) },
      tags: ['z'.repeat(90)],
    });
    const { body } = await service.chat({ user_prompt: 'a'.repeat(300) });
    await put(`/messages/${body.message_id}/feedback`, { rating: 2, comment: 'b'.repeat(300) });
    const result = await resultOf('wide');
    await resultOf('wide');
    for (const look of EVERY_LOOK) {
      const page = await studio.open('about:blank', look);
      for (const [path, sign] of [
        ['/datasets', '.runs-table'],
        ['/datasets/wide', '.case'],
        ['/datasets/wide?view=results', '.runs-table'],
        [`/datasets/wide?result=${result}`, '.case details[open], .case summary'],
        ['/review', '.case'],
      ] as const) {
        await page.goto(`${service.url}/studio${path}`);
        await page.locator(sign).first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([look, path, wide > 0, await findings(page)]).toEqual([look, path, false, []]);
      }
    }
  });
});
