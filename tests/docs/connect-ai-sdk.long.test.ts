/** The page that docs/connect.md shows works unchanged in a browser. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answered } from '../graphs/adopted/script.ts';
import { servedDesk } from '../server/support/desk.ts';
import { pageServer } from '../server/support/page-server.ts';
import { studioTests } from '../studio/browser.ts';
import { heldAnswer } from '../studio/held-answer.ts';

const ROOT = join(import.meta.dir, '../..');
const SHOW = `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
createRoot(document.getElementById('page')).render(createElement(Chat, { id: 'pasted' }));`;

async function pasted(url: string) {
  const text = await Bun.file(join(ROOT, 'docs/connect.md')).text();
  const [, snippet] = /```tsx\n(.*?)```/s.exec(text) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'skein-pasted-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const code = snippet?.replace('http://localhost:8080/ai/classification-agent', `${url}/ai/desk`) ?? '';
  await Bun.write(join(folder, 'chat.tsx'), code);
  await Bun.write(join(folder, 'show.js'), SHOW);
  const server = await pageServer(join(folder, 'show.js'));
  rmSync(folder, { recursive: true });
  return server;
}

studioTests('the pasted page', (studio) => {
  const project = servedDesk({ config: 'web_configuration:\n  cors_origins: ["*"]\n' });

  test('asks, answers, and stops', async () => {
    const { service, provider } = project();
    provider.script = answered;
    const server = await pasted(service.url);
    try {
      const page = await studio.open(server.origin);
      const ask = async (text: string) => {
        await page.fill('input', text);
        await page.press('input', 'Enter');
      };
      await ask('order one');
      await page.waitForSelector('text={"question":"Ship it?"}');
      await page.click('text=Yes');
      await page.waitForSelector('text=Shipped: true');
      const held = heldAnswer();
      provider.script = () => held.reply;
      await ask('hello');
      await held.called;
      held.say('Half ');
      await page.waitForSelector('text=Half');
      await page.reload();
      await page.waitForSelector('text=Half');
      await page.click('text=Stop');
      await page.waitForFunction(async (url) => {
        const answer = await fetch(`${url}/api/v1/threads/pasted/runs`);
        const { runs } = (await answer.json()) as { runs: { status: string }[] };
        return runs[0]?.status === 'cancelled';
      }, service.url);
      expect(await page.textContent('main')).not.toContain('Error');
    } finally {
      await server.close();
    }
  });
});
