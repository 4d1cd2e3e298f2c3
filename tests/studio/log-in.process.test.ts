/** The log-in form: shown where the service asks for credentials, and never the browser's own prompt. */
import { expect, test } from 'bun:test';
import { PASSWORD, protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';

studioTests('logging in', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, protectedConfig());

  test('who is not logged in is asked, wrong words are refused, right ones let in until the log-out', async () => {
    const page = await studio.open(`${service.url}/studio/runs`);
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing has run yet').waitFor();
    await page.reload();
    await page.getByText('Nothing has run yet').waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('token');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
  });

  test('an access token that has ended is renewed, and nobody notices', async () => {
    const page = await studio.open(`${service.url}/studio`);
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.evaluate(() => {
      const kept = JSON.parse(sessionStorage.getItem('skein.session') ?? '{}');
      sessionStorage.setItem('skein.session', JSON.stringify({ ...kept, access_token: 'ended' }));
    });
    await page.reload();
    await page.getByLabel('Message', { exact: true }).fill('Am I still me?');
    await page.keyboard.press('Enter');
    await page.getByText('re: Am I still me?').first().waitFor();
  });
});
