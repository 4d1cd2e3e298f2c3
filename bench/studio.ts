/** Long tasks of the studio's page while it receives a run of 2,000 events in a thread of 1,000 messages. */
import { existsSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { turn } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const PROGRAM = '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const TURNS = 500;

export async function studio(): Promise<string> {
  if (!existsSync(PROGRAM)) return '## Studio\n\nNot measured: Chromium is not installed.\n';
  const provider = await startProvider();
  const service = await startSkein(provider);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  try {
    for (let count = 0; count < TURNS; count++) await turn(`${service.url}/api/v1/chat`, 'long');
    const page = await browser.newPage();
    await page.addInitScript({ content: WATCH });
    const opening = await tasksDuring(page, () => openThread(page, `${service.url}/studio/threads/long`));
    const streaming = await tasksDuring(page, () => talk(page));
    return report(opening, streaming);
  } finally {
    await browser.close();
    await service.stop();
    await provider.stop();
  }
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

function report(opening: number[], streaming: number[]): string {
  const longest = (tasks: number[]) => Math.round(Math.max(0, ...tasks));
  return `## Studio

A headless Chromium on the same machine, without a graphics card. Longest task of the page: ${longest(opening)} ms while it
loads and opens a thread of ${2 * TURNS} messages, ${longest(streaming)} ms while it receives a run of 2,000 events
(${streaming.length} tasks of 50 ms or more; the goal is none over 100 ms).
`;
}
