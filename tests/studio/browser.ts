/** A real headless Chromium for the tests of a file; without one they are skipped, and a line says so. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { reportMissing } from '../support/missing.ts';
import { launchChromium, PROGRAM } from './chromium.ts';

// Long enough for a busy machine.
const PATIENCE_MS = 60_000;

export interface Look {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
}

/** Large, medium and small screens, in light and in dark. */
export const EVERY_LOOK: Look[] = [{ width: 1440 }, { width: 1024 }, { width: 390, height: 800 }].flatMap(
  (size) => [
    { ...size, scheme: 'light' },
    { ...size, scheme: 'dark' },
  ],
);

export interface Studio {
  /** A new page with empty storage. Errors in its console fail the test. */
  open(url: string, look?: Look): Promise<Page>;
  /** Errors that the test expects. */
  expectProblems(pattern: RegExp): void;
}

export function studioTests(name: string, body: (studio: Studio) => void): void {
  if (!PROGRAM) reportMissing('Chromium', 'apt-get install -y chromium');
  setDefaultTimeout(3 * PATIENCE_MS);
  describe.skipIf(!PROGRAM)(name, () => body(running()));
}

function running(): Studio {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let problems: string[] = [];
  let expected: RegExp[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    const unexpected = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    problems = [];
    expected = [];
    expect(unexpected).toEqual([]);
  });
  afterAll(() => browser?.close());
  return {
    async open(url, { width = 1360, height = 860, scheme = 'light' } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        // The page shows rejected requests itself, so they aren't errors.
        const isAnswer = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isAnswer) problems.push(message.text());
      });
      await page.goto(url);
      return page;
    },
    expectProblems: (pattern) => expected.push(pattern),
  };
}
