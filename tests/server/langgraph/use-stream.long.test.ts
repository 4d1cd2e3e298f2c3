/** LangGraph's `useStream` for React in a real browser, on a page of another origin. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import type { Page } from 'playwright-core';
import { answered } from '../../graphs/adopted/script.ts';
import { studioTests } from '../../studio/browser.ts';
import { heldAnswer } from '../../studio/held-answer.ts';
import { completion } from '../../support/provider.ts';
import { servedDesk } from '../support/desk.ts';
import { pageServer } from '../support/page-server.ts';
import { say, shows, threadOf } from '../support/stream-page.ts';
import { until } from '../support/until.ts';

const server = await pageServer(join(import.meta.dir, 'use-stream-page.js'));
afterAll(() => server.close());

studioTests('useStream', (studio) => {
  const project = servedDesk({ config: `web_configuration:\n  cors_origins: ["${server.origin}"]\n` });
  const client = () => new Client({ apiUrl: project().service.url, apiKey: null });
  beforeAll(() => {
    expect(server.origin).not.toBe(project().service.url);
  });
  afterEach(() => {
    project().provider.script = answered;
  });

  const open = (thread = '') =>
    studio.open(`${server.origin}/?api=${project().service.url}${thread && `&thread=${thread}`}`);
  const submit = (page: Page, input: object | undefined, options: object = {}) =>
    page.evaluate(`void window.stream.submit(${JSON.stringify(input)}, ${JSON.stringify(options)})`);
  const statuses = async (page: Page) =>
    (await client().runs.list(threadOf(page))).map(({ status }) => status);

  test('a message is sent on a new thread, and the answer streams in', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open();
    await say(page, 'hello');
    await held.called;
    held.say('Half ');
    await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
    held.say('and whole.');
    await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: true });
    held.end();
    await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: false, error: null });
    expect(await client().threads.get(threadOf(page))).toMatchObject({ status: 'idle' });
  });

  test('a run that is stopped is cancelled, and the thread continues', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open();
    await say(page, 'hello');
    await held.called;
    held.say('Half ');
    await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
    await page.evaluate('void window.stream.stop()');
    await shows(page, { isLoading: false, error: null });
    const thread = threadOf(page);
    await until(async () => (await client().threads.get(thread)).status === 'idle', 30_000);
    expect(await statuses(page)).toEqual(['interrupted']);
    project().provider.script = answered;
    await say(page, 'again');
    await shows(page, { said: ['human: hello', 'human: again', 'ai: greet heard again'], isLoading: false });
  });

  test('an answer is regenerated from its checkpoint as a second branch', async () => {
    let answers = 0;
    project().provider.script = (request) => completion(`Answer ${++answers}.`, request);
    const page = await open();
    await say(page, 'hello');
    await shows(page, { said: ['human: hello', 'ai: Answer 1.'], isLoading: false, branches: [1, 1] });
    await page.evaluate(`{
      const { firstSeenState } = stream.getMessagesMetadata(stream.messages[1]);
      void stream.submit(undefined, { checkpoint: firstSeenState.parent_checkpoint });
    }`);
    await shows(page, { said: ['human: hello', 'ai: Answer 2.'], isLoading: false, branches: [1, 2] });
    const first = 'stream.setBranch(stream.getMessagesMetadata(stream.messages[1]).branchOptions[0])';
    await page.evaluate(first);
    await shows(page, { said: ['human: hello', 'ai: Answer 1.'] });
    await say(page, 'more');
    await until(async () => (await statuses(page)).join() === 'success,success,success', 30_000);
    // The hook returns to the newest fork.
    await shows(page, { said: ['human: hello', 'ai: Answer 2.'], isLoading: false });
    await page.evaluate(first);
    const expected = ['human: hello', 'ai: Answer 1.', 'human: more', 'ai: Answer 3.'];
    await shows(page, { said: expected, isLoading: false });
    await page.evaluate(`{
      const { firstSeenState } = stream.getMessagesMetadata(stream.messages[2]);
      const messages = [{ type: 'human', content: 'edited' }];
      void stream.submit({ messages }, { checkpoint: firstSeenState.parent_checkpoint });
    }`);
    const edited = ['human: hello', 'ai: Answer 1.', 'human: edited', 'ai: Answer 4.'];
    await shows(page, { said: edited, isLoading: false });
  });

  test('a page that is reloaded mid-stream continues the stream', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open();
    await say(page, 'hello');
    await held.called;
    held.say('Half ');
    await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
    await page.reload();
    await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
    held.say('and whole.');
    held.end();
    await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: false, error: null });
    expect(await statuses(page)).toEqual(['success']);
    await page.reload();
    await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: false, error: null });
  });

  test("a node's question is shown, also after a reload, and can be answered", async () => {
    const page = await open();
    await say(page, 'an order');
    await shows(page, { asks: { question: 'Ship it?' }, isLoading: false });
    await page.reload();
    await shows(page, { asks: { question: 'Ship it?' }, isLoading: false });
    await submit(page, undefined, { command: { resume: 'yes' } });
    const texts = ['human: an order', 'ai: greet heard an order', 'ai: Shipped: yes'];
    await shows(page, { said: texts, asks: null, isLoading: false });
  });

  test("two tabs share a thread: each sees the other's run, and their runs wait for each other", async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const first = await open();
    await say(first, 'hello');
    await held.called;
    held.say('Half ');
    await shows(first, { said: ['human: hello', 'ai: Half '] });
    const run = await first.evaluate('window.runId');
    const second = await open(threadOf(first));
    await shows(second, { said: ['human: hello'], isLoading: false });
    await second.evaluate(`void stream.joinStream(${JSON.stringify(run)}, '-1')`);
    await shows(second, { said: ['human: hello', 'ai: Half '], isLoading: true });
    project().provider.script = answered;
    const third = await open(threadOf(first));
    await shows(third, { said: ['human: hello'] });
    await say(third, 'more');
    await until(async () => (await client().runs.list(threadOf(first))).length === 2, 30_000);
    held.say('and whole.');
    held.end();
    const all = ['human: hello', 'ai: Half and whole.', 'human: more', 'ai: greet heard more'];
    // The history is read when the run has ended, and only includes the other tab's run if that has ended too.
    await shows(third, { said: all, isLoading: false, error: null });
    for (const page of [first, second]) {
      await shows(page, { isLoading: false, error: null });
      const { said } = (await page.evaluate('window.shown')) as { said: string[] };
      expect(said.slice(0, 2)).toEqual(all.slice(0, 2));
    }
    expect(await statuses(first)).toEqual(['success', 'success']);
    await first.reload();
    await shows(first, { said: all });
  });
});
