/** The log-in form: shown if the service requires credentials, instead of the browser's own prompt. */
import { afterAll, expect, test } from 'bun:test';
import { KEY, PASSWORD, protectedConfig } from '../server/support/credentials.ts';
import { AUDIENCE, localIssuer, signedBy } from '../server/support/issuer.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';

studioTests('logging in', (studio) => {
  const provider = runningProvider();
  const issuer = localIssuer();
  const oidc = `oidc: {issuer: "${issuer.url}", audience: "${AUDIENCE}"}`;
  const service = runningService(provider, protectedConfig(oidc));
  afterAll(() => issuer.stop());

  test('a visitor has to log in; wrong credentials are rejected, and correct ones work until the log-out', async () => {
    const page = await studio.open(`${service.url}/studio/runs`);
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect username or password.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('No runs yet').waitFor();
    await page.reload();
    await page.getByText('No runs yet').waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('token');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
  });

  test('an access token of the issuer or an API key logs in, an invalid one does not, and an expired one is asked for again', async () => {
    const key = await issuer.add('ES256');
    const page = await studio.open(`${service.url}/studio/runs`);
    const enter = async (token: string) => {
      await page.getByLabel('Access token or API key').fill(token);
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Use an access token or API key' }).click();
    await enter('wrong');
    await page.getByRole('alert').getByText('The token is invalid or has expired.').waitFor();
    await enter(await signedBy(issuer, key));
    await page.getByText('No runs yet').waitFor();
    await page.getByTitle('Logged in as alice').waitFor();
    await page.evaluate(
      (token) => {
        sessionStorage.setItem('skein.session', JSON.stringify({ access_token: token }));
      },
      await signedBy(issuer, key, { exp: 1 }),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Use an access token or API key' }).click();
    await enter(KEY);
    await page.getByTitle('Logged in as robot').waitFor();
  });

  test('an expired access token is renewed without interrupting the user', async () => {
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
