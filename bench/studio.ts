/** The time of a first visit, and long tasks of the studio's page while it receives a run of 2,000 events in a thread of 1,000 messages. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { turn } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const PROGRAM = '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const TURNS = 500;
const VISITS = 20;

export async function studio(): Promise<string> {
  if (!existsSync(PROGRAM)) return '## Studio\n\nNot measured: Chromium is not installed.\n';
  const provider = await startProvider();
  const service = await startSkein(provider);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  try {
    const visits = await firstVisits(browser, `${service.url}/studio`);
    for (let count = 0; count < TURNS; count++) await turn(`${service.url}/api/v1/chat`, 'long');
    const page = await browser.newPage();
    await page.addInitScript({ content: WATCH });
    const opening = await tasksDuring(page, () => openThread(page, `${service.url}/studio/threads/long`));
    const streaming = await tasksDuring(page, () => talk(page));
    return report(visits, opening, streaming);
  } finally {
    await browser.close();
    await service.stop();
    await provider.stop();
  }
}

interface BrowserGlobals {
  document: { activeElement: { matches(selector: string): boolean } | null };
}

/** Each with an empty cache: milliseconds from the start of the navigation until a message can be typed, in order. */
async function firstVisits(browser: Browser, url: string): Promise<number[]> {
  const times: number[] = [];
  for (let visit = 0; visit <= VISITS; visit++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'commit' });
    const usable = await page.waitForFunction(() => {
      const { document } = globalThis as unknown as BrowserGlobals;
      return document.activeElement?.matches('textarea.message') && performance.now();
    });
    times.push(Number(await usable.jsonValue()));
    await context.close();
  }
  // The first one also waits until the service has bundled the page.
  return times.slice(1).toSorted((a, b) => a - b);
}

/** Runs in the page, as text because its types differ. Long tasks take at least 50 ms: https://w3c.github.io/longtasks/ */
const WATCH = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
`;

async function tasksDuring(page: Page, work: () => Promise<void>): Promise<number[]> {
  await work();
  // The observer is notified after a task has ended.
  await page.waitForTimeout(500);
  return page.evaluate(() => (globalThis as { longTasks?: number[] }).longTasks?.splice(0) ?? []);
}

async function openThread(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.getByText('What is two and two?').last().waitFor();
}

async function talk(page: Page): Promise<void> {
  await page.getByLabel('Workflow', { exact: true }).selectOption('talker');
  await page.getByLabel('Message', { exact: true }).fill('Talk.');
  await page.keyboard.press('Enter');
  await page.getByText('All 2000 lines are said.').first().waitFor({ timeout: 120_000 });
}

function report(visits: number[], opening: number[], streaming: number[]): string {
  // Browsers only report tasks of 50 ms or more.
  const longest = (tasks: number[]) =>
    tasks.length === 0 ? 'under 50 ms' : `${Math.round(Math.max(...tasks))} ms`;
  const [median, slowest] = [visits[VISITS / 2] ?? 0, visits.at(-1) ?? 0].map(Math.round);
  return `## Studio

A headless Chromium on the same machine, without a graphics card. On a first visit, with an empty cache, a message can be typed
${median} ms after the start of the navigation (median of ${VISITS}; the slowest took ${slowest} ms). Longest task of the page: ${longest(opening)} while it
loads and opens a thread of ${2 * TURNS} messages, ${longest(streaming)} while it receives a run of 2,000 events
(${streaming.length} tasks of 50 ms or more; the goal is none over 100 ms).
`;
}
