/** The keyboard in a long conversation: an old answer is one tab stop, and everything in it can be reached. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

studioTests('keyboard navigation between messages', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  /** The focused element: the number of its answer, and its name if it is inside one. */
  const focused = (page: Page) =>
    page.evaluate(() => {
      const active = document.activeElement;
      const answer = active?.closest('.answer');
      const at = answer ? [...document.querySelectorAll('.answer')].indexOf(answer) : -1;
      const label = active?.getAttribute('aria-label') ?? active?.textContent ?? '';
      return at < 0 ? label : `${at} ${label}`;
    });

  test('Tab moves between old answers, Enter enters one, and Escape leaves it', async () => {
    provider.script = echoing({ answer: 'See [the manual](https://example.org) and\n\n```\ncode\n```' });
    for (const user_prompt of ['one', 'two', 'three']) await service.chat({ user_prompt, thread_id: 'keys' });
    const page = await studio.open(`${service.url}/studio/threads/keys`, { width: 1000 });
    await page.locator('.answer').nth(2).waitFor();
    await page.locator('.answer').first().focus();
    const seen: string[] = [await focused(page)];
    async function press(key: string): Promise<void> {
      await page.keyboard.press(key);
      seen.push(await focused(page));
    }
    await press('Tab');
    await press('Enter');
    await press('Tab');
    await press('Escape');
    await press('Shift+Tab');
    await press('Tab');
    await press('Tab');
    await press('Tab');
    expect(seen).toEqual([
      ...['0 Answer', '1 Answer', '1 the manual', '1 Code', '1 Answer', '0 Answer', '1 Answer', '2 Answer'],
      '2 the manual',
    ]);
    expect(await findings(page)).toEqual([]);
  });
});
