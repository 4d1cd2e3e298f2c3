/** A page that puts LangGraph's stream into `window.stream` and its output into `window.shown`. */
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';

export const threadOf = (page: Page) => new URL(page.url()).searchParams.get('thread') ?? '';

export const human = (content: string) => JSON.stringify({ messages: [{ type: 'human', content }] });

export const say = (page: Page, content: string) => page.evaluate(`void stream.submit(${human(content)})`);

/** Waits until the page shows this text, and fails with what it shows instead. */
export async function shows(page: Page, wanted: object): Promise<void> {
  await page
    .waitForFunction(`(${includes})(window.shown, ${JSON.stringify(wanted)})`, undefined, { timeout: 20_000 })
    .catch(async () => expect(await page.evaluate('window.shown')).toMatchObject(wanted));
}

/** Runs in the page. */
const includes = `(shown, wanted) =>
  shown !== undefined &&
  Object.entries(wanted).every(([name, value]) => JSON.stringify(shown[name]) === JSON.stringify(value))`;
