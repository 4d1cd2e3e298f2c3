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
import { until } from '../support/until.ts';

const HTML =
  '<!doctype html><title>chat</title><div id="page"></div><script type="module" src="/page.js"></script>';

/** A server of its own for the page, as another program has it. */
async function pageServer() {
  const entrypoints = [join(import.meta.dir, 'use-stream-page.js')];
  const define = { 'process.env.NODE_ENV': '"production"' };
  const { outputs } = await Bun.build({ entrypoints, define, target: 'browser' });
  const script = await outputs[0]?.text();
  return Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch(request) {
      const isScript = new URL(request.url).pathname === '/page.js';
      const type = isScript ? 'text/javascript' : 'text/html';
      return new Response(isScript ? script : HTML, { headers: { 'content-type': type } });
    },
  });
}

const server = await pageServer();
afterAll(() => server.stop(true));

studioTests('useStream', (studio) => {
  const project = servedDesk({ config: `web_configuration:\n  cors_origins: ["${server.url.origin}"]\n` });
  const client = () => new Client({ apiUrl: project().service.url, apiKey: null });
  beforeAll(() => {
    expect(server.url.origin).not.toBe(project().service.url);
  });
  afterEach(() => {
    project().provider.script = answered;
  });

  const open = (thread = '') =>
    studio.open(`${server.url}?api=${project().service.url}${thread && `&thread=${thread}`}`);
  const shows = (page: Page, shown: object) =>
    page
      .waitForFunction(`(${includes})(window.shown, ${JSON.stringify(shown)})`, undefined, {
        timeout: 20_000,
      })
      .catch(async () => expect(await page.evaluate('window.shown')).toMatchObject(shown));
  const submit = (page: Page, input: object | undefined, options: object = {}) =>
    page.evaluate(`void window.stream.submit(${JSON.stringify(input)}, ${JSON.stringify(options)})`);
  const say = (page: Page, content: string, options?: object) =>
    submit(page, { messages: [{ type: 'human', content }] }, options);
  const statuses = async (page: Page) =>
    (await client().runs.list(threadOf(page))).map(({ status }) => status);
  const threadOf = (page: Page) => new URL(page.url()).searchParams.get('thread') ?? '';

  test('a message is sent on a new thread, and the answer comes piece by piece', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open();
    await say(page, 'hello');
    await held.asked;
    held.say('Half ');
    await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
    held.say('and whole.');
    await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: true });
    held.end();
    await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: false, error: null });
    expect(await client().threads.get(threadOf(page))).toMatchObject({ status: 'idle' });
  });

  test('a run that is stopped is cancelled, and the thread goes on', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open();
    await say(page, 'hello');
    await held.asked;
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

  test('an answer is made again from its checkpoint, beside the first one', async () => {
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
    // The hook goes back to the newest fork.
    await shows(page, { said: ['human: hello', 'ai: Answer 2.'], isLoading: false });
    await page.evaluate(first);
    const said = ['human: hello', 'ai: Answer 1.', 'human: more', 'ai: Answer 3.'];
    await shows(page, { said, isLoading: false });
    await page.evaluate(`{
      const { firstSeenState } = stream.getMessagesMetadata(stream.messages[2]);
      const messages = [{ type: 'human', content: 'edited' }];
      void stream.submit({ messages }, { checkpoint: firstSeenState.parent_checkpoint });
    }`);
    const edited = ['human: hello', 'ai: Answer 1.', 'human: edited', 'ai: Answer 4.'];
    await shows(page, { said: edited, isLoading: false });
  });

  test('a page that is loaded again in mid-stream goes on with the stream', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open();
    await say(page, 'hello');
    await held.asked;
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

  test('what a node asks is shown, also after a reload, and answered', async () => {
    const page = await open();
    await say(page, 'an order');
    await shows(page, { asks: { question: 'Ship it?' }, isLoading: false });
    await page.reload();
    await shows(page, { asks: { question: 'Ship it?' }, isLoading: false });
    await submit(page, undefined, { command: { resume: 'yes' } });
    const said = ['human: an order', 'ai: greet heard an order', 'ai: Shipped: yes'];
    await shows(page, { said, asks: null, isLoading: false });
  });

  test('two tabs share a thread: each sees the run of the other, and their runs wait for each other', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const first = await open();
    await say(first, 'hello');
    await held.asked;
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
    // What the other tab asked is in the history that is read when the run has ended, if it has ended as well.
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

/** Runs in the page. */
const includes = `(shown, wanted) =>
  shown !== undefined &&
  Object.entries(wanted).every(([name, value]) => JSON.stringify(shown[name]) === JSON.stringify(value))`;
