/** The AI SDK's `useChat` for React in a real browser, on a page of another origin. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { answered, programScript } from '../../graphs/adopted/script.ts';
import { studioTests } from '../../studio/browser.ts';
import { heldAnswer } from '../../studio/held-answer.ts';
import { servedDesk } from '../support/desk.ts';
import { pageServer } from '../support/page-server.ts';
import { shows } from '../support/stream-page.ts';
import { until } from '../support/until.ts';

const server = await pageServer(join(import.meta.dir, 'use-chat-page.js'));
afterAll(() => server.close());

studioTests('useChat', (studio) => {
  const project = servedDesk({ config: `web_configuration:\n  cors_origins: ["${server.origin}"]\n` });
  afterEach(() => {
    project().provider.script = programScript;
  });

  const apiOf = (workflow: string) => `${project().service.url}/ai/${workflow}`;
  const open = (chat: string, workflow = 'desk') =>
    studio.open(`${server.origin}/?api=${encodeURIComponent(apiOf(workflow))}&chat=${chat}`);
  const say = (page: Page, text: string) => page.evaluate(`void chat.sendMessage({ text: '${text}' })`);
  const statuses = async (chat: string) => {
    const response = await project().service.fetch(`/api/v1/threads/${chat}/runs`);
    const { runs } = (await response.json()) as { runs: { status: string }[] };
    return runs.map(({ status }) => status);
  };

  test("the workflow's reasoning, data and text stream in", async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open('pieces');
    await say(page, 'hello');
    await held.called;
    held.say({ reasoning_content: 'Hm.' });
    await shows(page, { thought: ['Hm.'], status: 'streaming' });
    held.say('Half ');
    await shows(page, { said: ['user: hello', 'assistant: Half'], status: 'streaming' });
    held.say('and whole.');
    held.end();
    await shows(page, {
      ...{ said: ['user: hello', 'assistant: Half and whole.'], thought: ['Hm.'] },
      ...{ data: [{ type: 'data-custom', data: { greets: true } }], status: 'ready', error: null },
    });
  });

  test('tool calls are shown with their results', async () => {
    const page = await open('tools', 'tools-agent');
    await say(page, 'How is the weather?');
    const output = "It's always sunny in Rome!";
    await shows(page, {
      ...{ said: ['user: How is the weather?', `assistant: So: ${output}`], status: 'ready' },
      tools: [{ toolName: 'get_weather', input: { city: 'Rome' }, output }],
    });
  });

  test('a person is asked, and the answer continues the message', async () => {
    project().provider.script = answered;
    const page = await open('asks');
    await say(page, 'order one');
    await shows(page, { asks: { question: 'Ship it?' }, status: 'ready', error: null });
    await page.reload();
    await shows(page, { asks: { question: 'Ship it?' }, status: 'ready' });
    await page.evaluate(
      `void chat.addToolOutput({ tool: 'resume', toolCallId: asks.toolCallId, output: 'by air' })`,
    );
    await shows(page, { asks: null, status: 'ready', error: null });
    const texts = (await page.evaluate('shown.said')) as string[];
    expect(texts).toHaveLength(2);
    expect(texts[1]).toEndWith('Shipped: by air');
    expect(await statuses('asks')).toEqual(['succeeded', 'interrupted']);
  });

  test('after a reload, the page continues the active answer', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open('reload');
    await say(page, 'hello');
    await held.called;
    held.say('Half ');
    await shows(page, { said: ['user: hello', 'assistant: Half'] });
    await page.reload();
    await shows(page, { said: ['user: hello', 'assistant: Half'], status: 'streaming' });
    held.say('and whole.');
    held.end();
    await shows(page, { said: ['user: hello', 'assistant: Half and whole.'], status: 'ready', error: null });
    expect(await statuses('reload')).toEqual(['succeeded']);
  });

  test('stop ends the run, and the chat continues', async () => {
    const held = heldAnswer();
    project().provider.script = () => held.reply;
    const page = await open('stop');
    await say(page, 'hello');
    await held.called;
    held.say('Half ');
    await shows(page, { said: ['user: hello', 'assistant: Half'] });
    await page.evaluate(`void fetch('${apiOf('desk')}/stop/stop', { method: 'POST' }); void chat.stop();`);
    await shows(page, { said: ['user: hello', 'assistant: Half'], status: 'ready', error: null });
    await until(async () => (await statuses('stop'))[0] === 'cancelled', 30_000);
    project().provider.script = answered;
    await say(page, 'again');
    await shows(page, {
      ...{ said: ['user: hello', 'assistant: Half', 'user: again', 'assistant: greet heard again'] },
      status: 'ready',
    });
  });

  test('an answer can be regenerated, and its error is shown', async () => {
    project().provider.script = answered;
    const page = await open('again');
    await say(page, 'one');
    await shows(page, { said: ['user: one', 'assistant: greet heard one'], status: 'ready' });
    project().provider.script = () => 'Better';
    await page.evaluate('void chat.regenerate()');
    await shows(page, { said: ['user: one', 'assistant: Better'], status: 'ready' });
    project().provider.script = () => Response.json({ error: { message: 'no' } }, { status: 400 });
    await page.evaluate('void chat.regenerate()');
    await page.waitForFunction("shown.status === 'error'");
    expect(await page.evaluate('shown.error')).toStartWith('The language model call failed');
    studio.expectProblems(/language model call failed/);
  });
});
