/** Parts of the page that can't be loaded at all: what the page offers, and how it recovers. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

studioTests("a part of the page that can't be loaded", (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);
  const protectedService = runningService(provider, protectedConfig());

  /** Opens a page whose scripts fail, apart from the first. Returns a function that lets them load again. */
  async function withoutScripts(page: Page, url: string): Promise<() => void> {
    studio.expectProblems(/ERR_FAILED|Failed to fetch dynamically imported module/);
    let isBroken = true;
    let first: string | undefined;
    await page.route('**/studio/assets/*.js', (route) => {
      first ??= route.request().url();
      return isBroken && route.request().url() !== first ? route.abort() : route.continue();
    });
    await page.goto(url);
    return () => {
      isBroken = false;
    };
  }
  const button = (page: Page, name: string) => page.getByRole('alert').getByRole('button', { name });

  test('a page offers to reload after it was retried twice', async () => {
    const page = await studio.open('about:blank');
    const repair = await withoutScripts(page, `${service.url}/studio/prompts`);
    for (let retry = 0; retry < 2; retry++) {
      await button(page, 'Retry').waitFor();
      expect(await button(page, 'Reload page').count()).toBe(0);
      await button(page, 'Retry').click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }
    await button(page, 'Reload page').waitFor();
    expect(await findings(page)).toEqual([]);
    repair();
    await button(page, 'Reload page').click();
    await page.getByRole('heading', { name: 'Prompts' }).waitFor();
  });

  test('Ctrl K says so, and the page remains', async () => {
    const page = await studio.open(`${service.url}/studio/runs`);
    await page.getByText('No runs yet').waitFor();
    await page.route('**/studio/assets/*.js', (route) => route.abort());
    studio.expectProblems(/ERR_FAILED|Failed to fetch dynamically imported module/);
    await page.keyboard.press('Control+k');
    await button(page, 'Dismiss').waitFor();
    await page.getByText('No runs yet').waitFor();
    await button(page, 'Dismiss').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.unroute('**/studio/assets/*.js');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
  });

  test('the log-in form says so, and appears after a retry', async () => {
    const page = await studio.open('about:blank');
    const repair = await withoutScripts(page, `${protectedService.url}/studio`);
    await button(page, 'Retry').waitFor();
    repair();
    await button(page, 'Retry').click();
    await page.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
  });
});
