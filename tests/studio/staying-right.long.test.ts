/** A page that stays open stays up to date: lists, a service that restarts, queued turns, drafts, further tabs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { PASSWORD, protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { until } from '../server/support/until.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { studioTests } from './browser.ts';
import { GRAPHS_OF_OTHERS } from './graphs-of-others.ts';
import { heldAnswer } from './held-answer.ts';

studioTests('a page that stays open', (studio) => {
  const provider = runningProvider();
  let service: TestService;
  beforeAll(async () => {
    service = await testService({ env: providerEnv(provider.url), graphs: GRAPHS_OF_OTHERS });
  });
  afterAll(() => service.close());

  const open = (path = '') => studio.open(`${service.url}/studio${path}`);
  async function send(page: Page, text: string) {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }
  const stored = async () =>
    ((await (await service.fetch('/api/v1/threads/once/messages')).json()) as { messages: unknown[] })
      .messages;
  const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });

  test('new runs and conversations of other clients appear in the lists without a reload, and so do their results', async () => {
    const page = await open('/runs');
    await page.getByText('No runs yet').waitFor();
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    await service.chat({ user_prompt: 'From elsewhere' }, { prefer: 'respond-async' });
    const row = page.locator('tr', { hasText: 'From elsewhere' });
    await row.getByText('running').waitFor();
    held.say('Done.');
    held.end();
    await row.getByText('succeeded').waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.locator('.thread', { hasText: 'From elsewhere' }).waitFor();
    provider.script = echoing();
    await service.chat({ user_prompt: 'Another one' });
    await page.locator('.thread', { hasText: 'Another one' }).waitFor();
  });

  test('while a new conversation streams, its workflow is kept, and the next message also goes there', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open('?workflow=assistant');
    await send(page, 'Which one?');
    await held.called;
    await page.waitForURL(/threads/);
    expect(await page.getByLabel('Workflow', { exact: true }).inputValue()).toBe('assistant');
    held.say('This.');
    held.end();
    await answers(page).getByText('This.').waitFor();
  });

  test('a run that ends while the conversation is loading is not shown twice', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'Earlier', thread_id: 'once' });
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open('/threads/once');
    await answers(page).getByText('re: Earlier').waitFor();
    await send(page, 'Now');
    await held.called;
    held.say('At last.');
    await answers(page).getByText('At last.').waitFor();
    const seen = await page.evaluateHandle(() => {
      const most = { times: 0 };
      const look = () => {
        const text = document.querySelector('.transcript')?.textContent ?? '';
        most.times = Math.max(most.times, text.split('At last.').length - 1);
      };
      new MutationObserver(look).observe(document.body, {
        childList: true,
        subtree: true,
        characterData: true,
      });
      return most;
    });
    // The runs are read during the run, the messages after its end.
    let isHeld = false;
    await page.route('**/threads/once/messages*', async (route) => {
      if (!isHeld) {
        isHeld = true;
        held.end();
        await until(async () => (await stored()).length === 4, 20_000);
      }
      await route.continue();
    });
    await page.route('**/threads/once?*', async (route) => {
      // The next read does not hide it immediately.
      if (isHeld) await Bun.sleep(500);
      await route.continue();
    });
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await answers(page).getByRole('button', { name: 'Good answer' }).nth(1).waitFor();
    expect(isHeld).toBe(true);
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    expect((await seen.jsonValue()).times).toBe(1);
  });

  test('one of several queued turns can be cancelled, and the next one starts', async () => {
    const [first, second] = [heldAnswer(), heldAnswer()];
    const inOrder = (held: typeof first) => echoing({ answer: held.reply });
    let calls = 0;
    // Two calls per turn: the category and the answer.
    provider.script = (request, index) => inOrder(calls++ < 2 ? first : second)(request, index);
    const page = await open();
    await page.getByLabel('Workflow', { exact: true }).selectOption('classification-agent');
    await send(page, 'Number one');
    await first.called;
    first.say('Begun');
    await send(page, 'Number two');
    await page.getByText('Queued behind the previous turn').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await second.called;
    second.say('The second answer.');
    second.end();
    await answers(page).getByText('The second answer.').waitFor();
    await answers(page).getByText('Cancelled', { exact: true }).waitFor();
  });

  test('the end of a growing answer stays visible until the user scrolls up', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open();
    await page.getByLabel('Workflow', { exact: true }).selectOption('classification-agent');
    await send(page, 'At length');
    await held.called;
    const left = () =>
      page.locator('.transcript').evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    for (let piece = 0; piece < 30; piece++)
      held.say(`Paragraph ${piece}.\n\n${'Words and words. '.repeat(40)}\n\n`);
    await answers(page).getByText('Paragraph 29.').waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector('.transcript');
      return box && box.scrollHeight - box.scrollTop - box.clientHeight < 5;
    });
    await page.locator('.transcript').hover();
    await page.mouse.wheel(0, -600);
    await page.waitForFunction(() => {
      const box = document.querySelector('.transcript');
      return box && box.scrollHeight - box.scrollTop - box.clientHeight > 300;
    });
    held.say('The last paragraph.');
    held.end();
    await answers(page).getByText('The last paragraph.').waitFor();
    expect(await left()).toBeGreaterThan(300);
  });

  test('an unsent message survives a reload', async () => {
    await service.chat({ user_prompt: 'Hello', thread_id: 'kept' });
    const page = await open('/threads/kept');
    await page.getByLabel('Message', { exact: true }).fill('Half a sente');
    await page.reload();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Half a sente');
    await page.goto(`${service.url}/studio`);
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('');
  });

  test('a fork from the middle of a run continues from there', async () => {
    await service.chat({ user_prompt: 'Go.', conversation_flow: 'nested', thread_id: 'middle' });
    const page = await open('/threads/middle');
    const checkpoints = await service.fetch('/api/v1/threads/middle/checkpoints');
    const list: { checkpoint_id: string; next: string[] }[] = (await checkpoints.json()).checkpoints;
    const at = list.find(({ next }) => next.includes('research'));
    const made = await service.fetch('/api/v1/threads/middle/fork', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ checkpoint_id: at?.checkpoint_id }),
    });
    await page.goto(`${service.url}/studio/threads/${(await made.json()).thread_id}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.graph-node[data-status="good"]', { hasText: 'write' }).waitFor();
    await page.locator('.transcript').getByText('It is written.').waitFor();
    await page.locator('.graph-node', { hasText: 'plan' }).getByText('not run').waitFor();
  });
});

studioTests('a service that restarts', (studio) => {
  test('the page says so, stops its counters, and recovers without a reload', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-away-'));
    const service = await testService({ folder, graphs: GRAPHS_OF_OTHERS });
    await service.chat({ user_prompt: 'Before', conversation_flow: 'loop', thread_id: 'before' });
    const page = await studio.open(`${service.url}/studio`);
    await page.locator('.thread', { hasText: 'Before' }).waitFor();
    await service.close();
    const banner = page.getByText("Can't reach the service. Reconnecting");
    await banner.waitFor();
    await page.getByLabel('Status').selectOption('error');
    await page.locator('.threads').getByRole('alert').waitFor();
    const again = await testService({ folder, env: { WEB_PORT: new URL(service.url).port } });
    await banner.waitFor({ state: 'detached' });
    await page.getByText('No conversations found').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await again.chat({ user_prompt: 'Afterwards', conversation_flow: 'loop' });
    await page.getByLabel('Status').selectOption('');
    await page.locator('.thread', { hasText: 'Afterwards' }).waitFor();
    await again.close();
    rmSync(folder, { recursive: true });
  });
});

studioTests('another tab', (studio) => {
  const service = runningService(runningProvider(), protectedConfig());

  test('shares the session of the first tab, and loses it with it', async () => {
    const first = await studio.open(`${service.url}/studio/runs`);
    await first.getByLabel('Name').fill('ann');
    await first.getByLabel('Password').fill(PASSWORD);
    await first.keyboard.press('Enter');
    await first.getByText('No runs yet').waitFor();
    const second = await first.context().newPage();
    await second.goto(`${service.url}/studio/runs`);
    await second.getByText('No runs yet').waitFor();
    expect(await second.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('token');
    await second.getByRole('button', { name: 'Log out' }).click();
    await first.getByRole('heading', { name: 'Log in to Skein' }).waitFor();
  });
});
