/** Operators can see the data of all callers but not change it; other users don't get this option. */
import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { BOB, OTHER_PASSWORD, PASSWORD, protectedConfig, ROBOT } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';

studioTests('operators', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, protectedConfig('operators: ["user:ann"]'));

  beforeAll(async () => {
    await service.chat({ user_prompt: 'What Bob asks', thread_id: 'same' }, BOB);
    await service.chat({ user_prompt: 'What the robot asks', thread_id: 'same' }, ROBOT);
  });

  async function logIn(name: string, password: string): Promise<Page> {
    const page = await studio.open(`${service.url}/studio`);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('Message', { exact: true }).waitFor();
    return page;
  }

  test('an operator sees the conversations of all callers or of one, and can return to their own', async () => {
    const page = await logIn('ann', PASSWORD);
    const list = page.getByRole('complementary', { name: 'Conversations' });
    await list.getByText('No conversations yet').waitFor();
    await list.getByLabel('All callers').check();
    await list.getByText('What Bob asks').waitFor();
    await list.getByText('key:robot').waitFor();
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);

    // Both have the same id.
    await list.getByText('What the robot asks').click();
    const said = page.getByRole('region', { name: 'Conversation', exact: true });
    await said.getByText('re: What the robot asks').waitFor();
    await said.getByText("You're viewing data of key:robot").waitFor();
    await list.getByText('What Bob asks').click();
    await said.getByText('re: What Bob asks').waitFor();
    expect(await said.getByText('re: What the robot asks').count()).toBe(0);
    await page.reload();
    await said.getByText('re: What Bob asks').waitFor();
    for (const name of ['Rename', 'Delete', 'Good answer', 'Bad answer'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    await said.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'What Bob asks' }).waitFor();
    expect(await page.getByRole('button', { name: 'Run again from here' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('link', { name: 'What the robot asks' }).click();
    await page.getByRole('heading', { name: 'What the robot asks' }).waitFor();
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await said.getByText('re: What the robot asks').waitFor();

    await list.getByLabel('All callers').uncheck();
    await list.getByText('No conversations yet').waitFor();
    await list.getByLabel('Caller', { exact: true }).fill('user:bob');
    await page.keyboard.press('Enter');
    await list.getByText('What Bob asks').click();
    await said.getByText('re: What Bob asks').waitFor();
    expect(await list.getByText('What the robot asks').count()).toBe(0);
    await page.getByRole('link', { name: 'Go to your conversations' }).click();
    await page.getByLabel('Message', { exact: true }).fill('My own');
    await page.keyboard.press('Enter');
    await said.getByText('re: My own').first().waitFor();
    await list.getByText('My own').waitFor();
  });

  test('other users are not offered this, and an address that names another caller shows nothing', async () => {
    const page = await logIn('bob', OTHER_PASSWORD);
    const list = page.getByRole('complementary', { name: 'Conversations' });
    await list.getByText('What Bob asks').waitFor();
    expect(await page.getByLabel('All callers').count()).toBe(0);
    await page.goto(`${service.url}/studio/threads/same?owner=key:robot`);
    await list.getByText('No conversations yet').waitFor();
    expect(await page.getByText('What the robot asks').count()).toBe(0);
  });
});
