/** The guides in a browser: readable at any width, in light and dark, with the keyboard alone. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

const service = runningService(runningProvider());

studioTests('guides', (studio) => {
  test.each([
    ['light', 390, '/docs/guide'],
    ['dark', 390, '/docs/guide/settings'],
    ['light', 1024, '/docs/guide/errors'],
    ['dark', 1440, '/docs/guide/architecture'],
    ['light', 390, '/docs/guide/tutorial'],
  ] as const)(
    'in %s at %i pixels, %s is accessible and no wider than the window',
    async (scheme, width, path) => {
      const page = await studio.open(`${service.url}${path}`, { width, scheme });
      expect(await findings(page)).toEqual([]);
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    },
  );

  test('links lead from guide to guide with the keyboard', async () => {
    const page = await studio.open(`${service.url}/docs/guide`);
    await page.getByRole('link', { name: 'docs/tutorial.md' }).press('Enter');
    await page.waitForURL('**/docs/guide/tutorial');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toStartWith('Tutorial');
  });
});
