/** `useChat` for Vue and the `Chat` of Svelte in a real browser. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import type { Page } from 'playwright-core';
import { answered, programScript } from '../../graphs/adopted/script.ts';
import { studioTests } from '../../studio/browser.ts';
import { heldAnswer } from '../../studio/held-answer.ts';
import { servedDesk } from '../support/desk.ts';
import { ownPackages } from '../support/own-packages.ts';
import { type PageServer, pageServer } from '../support/page-server.ts';
import { shows } from '../support/stream-page.ts';
import { until } from '../support/until.ts';

const SOURCES = join(import.meta.dir, 'frameworks');
const PAGES = ['vue-page.js', 'svelte-page.svelte.js'];

const folder = mkdtempSync(join(tmpdir(), 'skein-frameworks-'));
const servers: PageServer[] = [];

beforeAll(async () => {
  const modules = await ownPackages(SOURCES);
  if (modules === undefined) return;
  const pages = join(folder, 'pages');
  cpSync(SOURCES, pages, { recursive: true });
  symlinkSync(modules, join(pages, 'node_modules'));
  const plugins = [await svelteModules(modules)];
  for (const page of PAGES)
    servers.push(await pageServer(join(pages, page), { plugins, conditions: ['svelte'] }));
}, 300_000);
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true });
});

/** Compiles files with these extensions like Svelte's own bundler plugins. */
async function svelteModules(modules: string): Promise<BunPlugin> {
  const { compileModule } = await import(join(modules, 'svelte/src/compiler/index.js'));
  return {
    name: 'svelte',
    setup(build) {
      build.onLoad({ filter: /\.svelte\.js$/ }, async ({ path }) => {
        const { js } = compileModule(await Bun.file(path).text(), { filename: path, generate: 'client' });
        return { contents: js.code, loader: 'js' };
      });
    },
  };
}

studioTests('the chats of other frameworks', (studio) => {
  const project = servedDesk({ config: 'web_configuration:\n  cors_origins: ["*"]\n' });
  afterEach(() => {
    project().provider.script = programScript;
  });

  const api = () => `${project().service.url}/ai/desk`;
  const say = (page: Page, text: string) => page.evaluate(`void chat.sendMessage({ text: '${text}' })`);

  for (const [index, name] of PAGES.entries()) {
    const open = (chat: string) => {
      const origin = servers[index]?.origin;
      return origin && studio.open(`${origin}/?api=${encodeURIComponent(api())}&chat=${name}-${chat}`);
    };

    test(`${name}: the answer streams in, and continues after a reload`, async () => {
      const held = heldAnswer();
      project().provider.script = () => held.reply;
      const page = await open('reload');
      if (!page) return;
      await say(page, 'hello');
      await held.called;
      held.say('Half ');
      await shows(page, { said: ['user: hello', 'assistant: Half'], status: 'streaming' });
      await page.reload();
      await shows(page, { said: ['user: hello', 'assistant: Half'], status: 'streaming' });
      held.say('and whole.');
      held.end();
      await shows(page, {
        said: ['user: hello', 'assistant: Half and whole.'],
        status: 'ready',
        error: null,
      });
    });

    test(`${name}: a person is asked, and the answer continues the message`, async () => {
      project().provider.script = answered;
      const page = await open('asks');
      if (!page) return;
      await say(page, 'order one');
      await shows(page, { asks: { question: 'Ship it?' }, status: 'ready', error: null });
      await page.evaluate(
        `void chat.addToolOutput({ tool: 'resume', toolCallId: asks.toolCallId, output: 'by air' })`,
      );
      await shows(page, { asks: null, status: 'ready', error: null });
      expect(((await page.evaluate('shown.said')) as string[])[1]).toEndWith('Shipped: by air');
    });

    test(`${name}: a stop ends the run, and an error is shown`, async () => {
      const held = heldAnswer();
      project().provider.script = () => held.reply;
      const page = await open('stop');
      if (!page) return;
      await say(page, 'hello');
      await held.called;
      held.say('Half ');
      await shows(page, { said: ['user: hello', 'assistant: Half'] });
      await page.evaluate(`void fetch('${api()}/${name}-stop/stop', { method: 'POST' })`);
      await shows(page, { said: ['user: hello', 'assistant: Half'], status: 'ready', error: null });
      const runs = () => project().service.fetch(`/api/v1/threads/${name}-stop/runs`);
      await until(async () => JSON.stringify(await (await runs()).json()).includes('"cancelled"'), 30_000);
      project().provider.script = () => Response.json({ error: { message: 'no' } }, { status: 400 });
      await say(page, 'again');
      await page.waitForFunction("shown.status === 'error'");
      expect(await page.evaluate('shown.error')).toStartWith('The language model call failed');
      studio.expectProblems(/language model call failed/);
    });
  }
});
