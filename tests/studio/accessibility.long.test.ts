/** Checks every page of the studio with axe, on large, medium and small screens, in light and dark mode: no finding, and nothing wider than the screen. */
import { expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { SAMPLE_DATABASE } from '../support/service.ts';
import { findings } from './axe.ts';
import { EVERY_LOOK, studioTests } from './browser.ts';
import { GRAPHS_OF_OTHERS } from './graphs-of-others.ts';

studioTests('accessibility', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', GRAPHS_OF_OTHERS, SAMPLE_DATABASE);

  /** Each with a locator that shows that it is loaded. */
  async function pages(): Promise<[string, string][]> {
    provider.script = echoing({
      answer: '# A title\n\nWords, `code` and a [link](https://example.org).\n\n- one\n- two',
    });
    const { body } = await service.chat({ user_prompt: 'A broken pedal', thread_id: 'a' });
    await service.chat({ user_prompt: 'fail', thread_id: 'a' });
    const looped = await service.chat({ user_prompt: 'Loop', conversation_flow: 'loop' });
    await service.chat({ user_prompt: 'Ask', conversation_flow: 'questions', thread_id: 'asked' });
    await service.fetch('/api/v1/knowledge/documents/bells.md', { method: 'PUT', body: 'Bells are rung.' });
    return [
      ['', '.composer'],
      ['/threads/a', '.answer-foot'],
      [`/threads/a?run=${body.run_id}`, '.graph-node'],
      ['/threads/asked', '.interrupt'],
      ['/threads/a/history', '.changes'],
      ['/runs', '.runs-table'],
      [`/runs/${body.run_id}`, '.graph-node'],
      [`/runs/${looped.body.run_id}`, '.node-details select'],
      [`/playground?run=${body.run_id}&call=1`, '.playground-card'],
      ['/playground', '.empty'],
      ['/runs/none', '.note'],
      ['/home', '.figures-table'],
      ['/home?by=prompt', '.figures-table'],
      ['/search', '.empty'],
      ['/search?q=pedal', '.hit'],
      ['/compare?left=thread:a&right=thread:a', '.compare-sides'],
      [`/compare?left=run:${body.run_id}&right=run:${body.run_id}`, '.compare-table'],
      ['/workflows', '.card'],
      ['/workflows/classification-agent', '.graph-node'],
      ['/workflows/nothing', '.empty'],
      ['/prompts', '.prompt-files'],
      ['/prompts/default/classification-agent.support_responder.jinja', '.preview'],
      ['/knowledge', '.documents-table'],
      ['/knowledge?q=bells', '.passage'],
      ['/store', '.empty'],
      ['/workflows/loop?node=draft', '.graph-node[data-selected="true"]'],
      ['/datasets', '.empty'],
      ['/review', '.empty'],
      ['/database', '.columns-table'],
      ['/nowhere', '.empty'],
    ];
  }

  for (const look of EVERY_LOOK) {
    const name = `${look.scheme}, ${look.width ?? 1360} pixels wide`;
    test(`no page has an accessibility problem: ${name}`, async () => {
      const found: Record<string, string[]> = {};
      const page = await studio.open('about:blank', look);
      for (const [path, sign] of await pages()) {
        await page.goto(`${service.url}/studio${path}`);
        await page.locator(sign).first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        found[path] = [...(await findings(page)), ...(wide > 0 ? [`${wide} pixels too wide`] : [])];
      }
      expect(Object.entries(found).filter(([, ones]) => ones.length > 0)).toEqual([]);
    });
  }
});
