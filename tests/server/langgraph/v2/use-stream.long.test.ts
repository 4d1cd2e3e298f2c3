/** `useStream` of `@langchain/react` in a real browser, on a page of another origin, over either transport. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import type { Page } from 'playwright-core';
import { studioTests } from '../../../studio/browser.ts';
import { type HeldAnswer, heldAnswer } from '../../../studio/held-answer.ts';
import { completion } from '../../../support/provider.ts';
import { pageServer } from '../../support/page-server.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { human, say, shows, threadOf } from '../../support/stream-page.ts';
import { until } from '../../support/until.ts';
import { deskOf } from './graphs.ts';

const server = await pageServer(join(import.meta.dir, 'use-stream-page.js'));
afterAll(() => server.close());

studioTests('useStream of @langchain/react', (studio) => {
  const provider = runningProvider();
  const config = `web_configuration:\n  cors_origins: ["${server.origin}"]\n`;
  const service = runningService(provider, config, { desk: deskOf(provider.url) });
  const client = () => new Client({ apiUrl: service.url, apiKey: null });

  let answers = 0;
  const counts = () => {
    answers = 0;
    provider.script = (request) => completion(`Answer ${++answers}.`, request);
  };
  const holds = (): HeldAnswer => {
    const held = heldAnswer();
    provider.script = () => held.reply;
    return held;
  };
  const statuses = async (page: Page) =>
    (await client().runs.list(threadOf(page))).map(({ status }) => status);

  describe.each(['sse', 'websocket'])('over %s', (transport) => {
    const open = (thread = '') => {
      const query = new URLSearchParams({ api: service.url, transport, ...(thread && { thread }) });
      return studio.open(`${server.origin}/?${query}`);
    };

    test('a message is sent on a new thread, and the answer streams in', async () => {
      const held = holds();
      const page = await open();
      await say(page, 'hello');
      await held.called;
      held.say('Half ');
      await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
      held.say('and whole.');
      await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: true });
      held.end();
      const expected = ['human: hello', 'ai: Half and whole.'];
      await shows(page, { said: expected, isLoading: false, error: null });
      expect(await client().threads.get(threadOf(page))).toMatchObject({ status: 'idle' });
      counts();
      await say(page, 'more');
      await shows(page, {
        said: [...expected, 'human: more', 'ai: Answer 1.'],
        isLoading: false,
        error: null,
      });
    });

    test('a run that is stopped is cancelled, and the thread continues', async () => {
      const held = holds();
      const page = await open();
      await say(page, 'hello');
      await held.called;
      held.say('Half ');
      await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
      await page.evaluate('void stream.stop()');
      await shows(page, { isLoading: false, error: null });
      const thread = threadOf(page);
      await until(async () => (await client().threads.get(thread)).status === 'idle', 30_000);
      expect(await statuses(page)).toEqual(['interrupted']);
      counts();
      await say(page, 'again');
      await page.waitForFunction('shown.said.includes("ai: Answer 1.") && !shown.isLoading');
      // Until it is reloaded, the page shows the partial answer, which is not in the state.
      await page.reload();
      const said = ['human: hello', 'human: again', 'ai: Answer 1.'];
      await shows(page, { said, isLoading: false, error: null });
    });

    test('an answer is regenerated and a message is edited, each from the checkpoint before it', async () => {
      counts();
      const page = await open();
      await say(page, 'hello');
      await shows(page, { said: ['human: hello', 'ai: Answer 1.'], isLoading: false });
      await page.evaluate('void stream.submit(undefined, { forkFrom: shown.before })');
      await shows(page, { said: ['human: hello', 'ai: Answer 2.'], isLoading: false, error: null });
      const first = (await client().threads.getHistory(threadOf(page))).at(-1)?.checkpoint.checkpoint_id;
      await page.evaluate(`void stream.submit(${human('edited')}, { forkFrom: ${JSON.stringify(first)} })`);
      await shows(page, { said: ['human: edited', 'ai: Answer 3.'], isLoading: false, error: null });
      await page.reload();
      await shows(page, { said: ['human: edited', 'ai: Answer 3.'], isLoading: false, error: null });
    });

    test('a page that is reloaded mid-stream continues the stream', async () => {
      const held = holds();
      const page = await open();
      await say(page, 'hello');
      await held.called;
      held.say('Half ');
      await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
      await page.reload();
      await shows(page, { said: ['human: hello', 'ai: Half '], isLoading: true });
      held.say('and whole.');
      await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: true });
      held.end();
      await shows(page, { said: ['human: hello', 'ai: Half and whole.'], isLoading: false, error: null });
      expect(await statuses(page)).toEqual(['success']);
    });

    test("a subgraph's question is shown, also after a reload, and can be answered", async () => {
      counts();
      const page = await open();
      await say(page, 'an order');
      await shows(page, { asks: { question: 'Ship it?' }, isLoading: false });
      await page.reload();
      await shows(page, { asks: { question: 'Ship it?' }, isLoading: false });
      // The page answers the question of the stream, which arrives shortly after the state.
      await page.waitForFunction('stream.getThread()?.interrupts.length === 1');
      await page.evaluate('void stream.respond("yes")');
      const said = ['human: an order', 'ai: Answer 1.', 'ai: Shipped: yes'];
      await shows(page, { said, asks: null, isLoading: false, error: null, inside: ['review: complete'] });
      await page.reload();
      await shows(page, { said, asks: null, isLoading: false });
    });

    test('two tabs share a thread: each sees the messages of the other and the answers', async () => {
      const held = holds();
      const first = await open();
      await say(first, 'hello');
      await held.called;
      held.say('Half ');
      await shows(first, { said: ['human: hello', 'ai: Half '] });
      const second = await open(threadOf(first));
      await shows(second, { said: ['human: hello', 'ai: Half '], isLoading: true });
      held.say('and whole.');
      held.end();
      const said = ['human: hello', 'ai: Half and whole.'];
      for (const page of [first, second]) await shows(page, { said, isLoading: false, error: null });
      counts();
      await say(second, 'more');
      const all = [...said, 'human: more', 'ai: Answer 1.'];
      for (const page of [second, first]) await shows(page, { said: all, isLoading: false, error: null });
      expect(await statuses(first)).toEqual(['success', 'success']);
    });
  });
});
