/** What opening the studio costs: the bytes of a first visit, the requests of a long thread, and scrolling through it. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { echoing, questionOf } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import type { ChatRequest } from '../support/provider.ts';
import { studioTests } from './browser.ts';
import { longestTask } from './longest-task.ts';

const TURNS = 500;

studioTests('a first visit', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  /** Records every response that the page gets from now on, with its bytes on the wire. */
  async function answersOf(page: Page): Promise<{ url: string; bytes: number }[]> {
    const answers: { url: string; bytes: number }[] = [];
    const urls = new Map<string, string>();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
      answers.push({ url: urls.get(requestId) ?? '', bytes: encodedDataLength }),
    );
    return answers;
  }

  test('it loads less than 100 KB, including the lists that it shows', async () => {
    const page = await studio.open('about:blank');
    const answers = await answersOf(page);
    await page.goto(`${service.url}/studio`);
    await page.getByText('What should the agents do?').waitFor();
    await page.getByText('No conversations yet').waitFor();
    await page
      .getByLabel('Workflow', { exact: true })
      .locator('option')
      .first()
      .waitFor({ state: 'attached' });
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
    expect({ bytes, isLight: bytes < 100_000 }).toEqual({ bytes, isLight: true });
    await page.getByRole('button', { name: 'Show graph' }).click();
    await page.locator('.graph-node').first().waitFor();
    expect(answers.filter(({ url }) => url.includes('/runs'))).toEqual([]);
  });

  test('a message can be typed soon after the start of the navigation', async () => {
    const page = await studio.open('about:blank');
    await page.goto(`${service.url}/studio`, { waitUntil: 'commit' });
    const usable = await page.waitForFunction(
      () => document.activeElement?.matches('textarea.message') && performance.now(),
    );
    const milliseconds = Math.round(Number(await usable.jsonValue()));
    await page.keyboard.type('Hello');
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Hello');
    console.log(`first visit: a message can be typed after ${milliseconds} ms`);
    expect(milliseconds).toBeLessThan(10_000);
  });

  test('a thread of 1,000 messages opens with two requests and scrolls to its start without a task over 50 ms', async () => {
    const formatted = '**Many** `words`.\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |';
    provider.script = echoing({
      answer: (request: ChatRequest) => `re: ${questionOf(request)}\n\n${formatted}`,
    });
    for (let turn = 0; turn < TURNS; turn++)
      await service.chat({ user_prompt: `Question ${turn} of many`, thread_id: 'long' });
    const page = await studio.open('about:blank', { width: 1000 });
    const answers = await answersOf(page);
    await page.goto(`${service.url}/studio/threads/long`);
    await page.getByText(`re: Question ${TURNS - 1} of many`).waitFor();
    const paths = answers
      .map(({ url }) => new URL(url).pathname)
      .filter((path) => path.includes('/threads/long'));
    expect(paths.filter((path) => path.startsWith('/api')).sort()).toEqual([
      ...['/api/v1/threads/long', '/api/v1/threads/long/messages'],
    ]);
    const box = page.locator('.transcript');
    const first = box.getByText('Question 0 of many', { exact: true });
    const longest = await longestTask(page, () =>
      box.evaluate(async (element) => {
        const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        for (let at = 0; at < 1_000; at++) {
          if (element.textContent.includes('re: Question 0 of many')) return;
          element.scrollBy({ top: -2_000 });
          await drawn();
        }
      }),
    );
    await first.waitFor();
    expect({ longest, isShort: longest < 50 }).toEqual({ longest, isShort: true });
  });
});
