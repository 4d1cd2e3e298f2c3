/** A page whose chunks, styles or data are late or fail to load at first. */
import { expect, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';

studioTests('a page that fails to load', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  /** An empty page whose requests for later scripts, or for styles, are handled by `handle`. */
  async function handling(type: 'script' | 'stylesheet', handle: (route: Route) => unknown) {
    const page = await studio.open('about:blank');
    const firsts = new Set<string>();
    await page.route('**/studio/assets/*', async (route) => {
      const request = route.request();
      // The page itself links the first script and the first style sheet.
      if (request.resourceType() !== type || firsts.size === 0) {
        if (request.resourceType() === type) firsts.add(request.url());
        return route.continue();
      }
      await handle(route);
    });
    return page;
  }
  const fields = (page: Page) => page.getByRole('button', { name: 'Add tool' });
  const playground = async () => {
    provider.script = echoing({ answer: 'Send a photo of it.' });
    const { body } = await service.chat({ user_prompt: 'My saddle broke' });
    return `${service.url}/studio/playground?run=${body.run_id}&call=1`;
  };

  test('a chunk that fails to load is loaded again', async () => {
    const requests = new Map<string, number>();
    const page = await handling('script', (route) => {
      const url = route.request().url();
      requests.set(url, (requests.get(url) ?? 0) + 1);
      return requests.get(url) === 1 ? route.abort() : route.continue();
    });
    studio.expectProblems(/ERR_FAILED/);
    await page.goto(await playground());
    await fields(page).waitFor();
    expect(Math.max(...requests.values())).toBeGreaterThan(1);
  });

  test('a page is shown without its styles if they fail to load', async () => {
    const page = await handling('stylesheet', () => {});
    await page.goto(await playground());
    await fields(page).waitFor();
  });

  test('data is shown even if it changes faster than the page can read it', async () => {
    const page = await studio.open('about:blank');
    await page.route('**/api/v1/runs/*/calls', async (route) => {
      await Bun.sleep(600);
      await route.continue();
    });
    await page.addInitScript(() => {
      setInterval(() => dispatchEvent(new Event('focus')), 200);
    });
    await page.goto(await playground());
    await fields(page).waitFor({ timeout: 15_000 });
    expect(await page.getByLabel('Text of message 2').inputValue()).toBe('My saddle broke');
  });
});
