/** Time travel: checkpoints, differences, forks with edited state, lineage, comparisons. */
import { expect, test } from 'bun:test';
import { conversationOf } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';

studioTests('time travel', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  test('stepping through the checkpoints shows the state and its changes', async () => {
    await service.chat({ user_prompt: 'First words', thread_id: 'steps' });
    await service.chat({ user_prompt: 'Second words', thread_id: 'steps' });
    const page = await studio.open(`${service.url}/studio/threads/steps/history`);
    const timeline = page.getByRole('navigation', { name: 'Checkpoints' });
    const view = page.getByRole('region', { name: 'Checkpoint' });
    await view.getByRole('heading', { name: 'support_responder' }).waitFor();
    expect(await timeline.getByRole('link').count()).toBe(6);
    await timeline.getByRole('checkbox', { name: 'Show steps without changes' }).check();
    expect(await timeline.getByRole('link').count()).toBe(8);
    const first = timeline.getByRole('link').last();
    expect(await first.textContent()).toContain('next start');
    expect(await timeline.textContent()).not.toMatch(/step -1|__start__/);
    await view.getByText('"re: Second words"').first().waitFor();
    await view.getByText('added').first().waitFor();
    await view.getByRole('button', { name: 'Older' }).click();
    await view.getByRole('heading', { name: 'classification_agent' }).waitFor();
    const address = page.url();
    await timeline
      .getByRole('link', { name: /^support_responder/ })
      .nth(1)
      .click();
    await view.getByRole('tab', { name: 'State' }).click();
    await view.getByText('"re: First words"').first().waitFor();
    expect(await view.getByText('Second words').count()).toBe(0);
    await page.goto(address);
    await view.getByRole('heading', { name: 'classification_agent' }).waitFor();
    await timeline.getByRole('link').first().focus();
    await page.keyboard.press('ArrowDown');
    await view.getByRole('heading', { name: 'start' }).waitFor();
  });

  test('a fork continues from any checkpoint with edited messages, and links to its source', async () => {
    await service.chat({ user_prompt: 'My name is Ana', thread_id: 'origin' });
    await service.chat({ user_prompt: 'Later words', thread_id: 'origin' });
    const page = await studio.open(`${service.url}/studio/threads/origin/history`);
    const timeline = page.getByRole('navigation', { name: 'Checkpoints' });
    await timeline
      .getByRole('link', { name: /^support_responder/ })
      .nth(1)
      .click();
    await page.getByRole('button', { name: 'Run again from here' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Content of messages 1').fill('My name is Bo');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await page.waitForURL((url) => /\/threads\/[0-9a-f-]{36}$/.test(url.pathname));
    await page.getByRole('article', { name: 'Question' }).getByText('My name is Bo').waitFor();
    provider.requests.length = 0;
    await page.getByLabel('Message', { exact: true }).fill('Who am I?');
    await page.keyboard.press('Enter');
    await page.getByText('re: Who am I?').first().waitFor();
    expect(conversationOf(provider.requests[0] as (typeof provider.requests)[0])).toContain('My name is Bo');
    await page.getByRole('link', { name: 'History' }).click();
    const lineage = page.getByRole('navigation', { name: 'Lineage' });
    await lineage.getByRole('link', { name: 'origin' }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/threads/origin/history'));
    await lineage.getByText('forks:').waitFor();
  });

  test('a fork with values that the workflow rejects shows the error', async () => {
    await service.chat({ user_prompt: 'Refuse me', thread_id: 'refusing' });
    const page = await studio.open(`${service.url}/studio/threads/refusing/history`);
    await page.getByRole('button', { name: 'Run again from here' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'JSON' }).click();
    await dialog.getByLabel('State').fill('{"nothing": 1}');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await dialog.getByText('replace.nothing: the workflow has no such channel').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('two threads and two runs are compared side by side', async () => {
    const a = await service.chat({ user_prompt: 'The same', thread_id: 'left' });
    await service.chat({ user_prompt: 'The same', thread_id: 'right' });
    await service.chat({ user_prompt: 'Only left', thread_id: 'left' });
    const b = await service.chat({ user_prompt: 'Only right', thread_id: 'right' });
    const page = await studio.open(`${service.url}/studio/compare?left=thread:left&right=thread:right`);
    await page.getByText('First 2 messages are identical').waitFor();
    const pair = page.getByRole('region', { name: 'Message 3' });
    await pair.getByText('Only left').first().waitFor();
    await pair.getByText('Only right').first().waitFor();
    await page.goto(`${service.url}/studio/runs`);
    await page.getByLabel(`Compare run ${a.body.run_id}`).check();
    await page.getByLabel(`Compare run ${b.body.run_id}`).check();
    await page.getByRole('button', { name: 'Compare selected' }).click();
    const answer = page.getByRole('group', { name: 'support_responder' });
    await answer.getByText('re: Only right').waitFor();
    expect(await answer.locator('.diff-line[data-kind="removed"]').textContent()).toContain('re: The same');
  });
});
