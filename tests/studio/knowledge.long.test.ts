/** The knowledge base in the studio, operated like a user. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PASSWORD, protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { SEARCH_KEY, searchService } from '../support/search-service.ts';
import { providerEnv, testService } from '../support/service.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

const BELLS = '# Bells\n\n## Ringing\n\nA bell is rung with the thumb, never with the elbow.\n';

studioTests('the knowledge base', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);
  const folder = mkdtempSync(join(tmpdir(), 'skein-uploads-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const put = async (name: string, text: string) => {
    const response = await service.fetch(`/api/v1/knowledge/documents/${name}`, {
      method: 'PUT',
      body: text,
    });
    expect(response.ok).toBe(true);
  };
  const opened = (query = '') => studio.open(`${service.url}/studio/knowledge${query}`);
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const uploads = (page: Page) => page.getByRole('region', { name: 'Uploads' });

  /** Files that are dropped from outside of the page. */
  async function drop(page: Page, files: Record<string, string>): Promise<void> {
    const transfer = await page.evaluateHandle((given) => {
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(given)) data.items.add(new File([text], name));
      return data;
    }, files);
    await page.dispatchEvent('.knowledge', 'dragover', { dataTransfer: transfer });
    await page.getByText('Drop to upload').waitFor();
    await page.dispatchEvent('.knowledge', 'drop', { dataTransfer: transfer });
  }

  test('dropped files are indexed, each with its own status, and can be searched', async () => {
    const page = await opened();
    await page.getByText('No documents yet').waitFor();
    await drop(page, { 'Glöcken: bells.md': BELLS, 'picture.png': 'no', 'empty.txt': '' });
    await uploads(page).getByText('indexed, 1 passage (renamed from Glöcken: bells.md)').waitFor();
    await uploads(page)
      .getByText(
        'Only md, txt, html, htm, pdf, docx, csv, xlsx, pptx, epub, eml, rst and adoc files are supported.',
      )
      .waitFor();
    await uploads(page).getByText('The file is empty.').waitFor();
    await row(page, 'Glöcken- bells.md').getByText('indexed').waitFor();
    expect(await findings(page)).toEqual([]);
    await uploads(page).getByRole('button', { name: 'Clear' }).click();
    await uploads(page).waitFor({ state: 'detached' });
  });

  test('chosen files are uploaded, and an unreadable one says why', async () => {
    const page = await opened();
    const good = join(folder, 'chosen.txt');
    const bad = join(folder, 'broken.pdf');
    writeFileSync(good, 'A lamp is lit at dusk.');
    writeFileSync(bad, 'this is no PDF');
    await page.getByLabel('Files to upload').setInputFiles([good, bad]);
    await uploads(page).getByText('indexed, 1 passage').waitFor();
    await uploads(page).getByRole('alert').waitFor();
    await row(page, 'chosen.txt').getByText('indexed').waitFor();
    await row(page, 'broken.pdf').getByText('failed').waitFor();
    const reason = await row(page, 'broken.pdf').locator('.bad').first().textContent();
    expect(reason).toMatch(/PDF/);
  });

  test('a document with the same name is only replaced after a confirmation', async () => {
    await put('same.md', 'The old words.');
    const page = await opened();
    await drop(page, { 'same.md': 'The new words.' });
    await uploads(page).getByText('A document with this name already exists.').waitFor();
    const text = async () => (await service.fetch('/api/v1/knowledge/documents/same.md')).text();
    expect(await text()).toBe('The old words.');
    await uploads(page).getByRole('button', { name: 'Replace' }).click();
    await uploads(page).getByText('indexed, 1 passage').waitFor();
    expect(await text()).toBe('The new words.');
  });

  test('a search shows passages with their location and scores, and highlights the search terms', async () => {
    await put('bells.md', BELLS);
    const page = await opened();
    await page.getByLabel('Search documents').fill('How is the bell rung?');
    await page.keyboard.press('Enter');
    const passage = page.locator('.passage').filter({ hasText: 'with the thumb' }).first();
    await passage.getByText('Bells > Ringing').waitFor();
    expect(page.url()).toContain('q=How');
    const { passages } = await (
      await service.fetch('/api/v1/knowledge/search', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'How is the bell rung?' }),
      })
    ).json();
    const scores = await page.locator('.passage').first().locator('.score').allTextContents();
    const shown = (value: number) => (value >= 10 ? value.toFixed(1) : value.toFixed(3));
    expect(scores).toEqual(
      (['vector', 'text', 'fused'] as const).map((name) => shown(passages[0].scores[name])),
    );
    const marked = await passage.locator('mark').allTextContents();
    expect(marked).toContain('bell');
    expect(marked).not.toContain('the');
    await passage.getByRole('button', { name: 'bells.md' }).click();
    const dialog = page.getByRole('dialog', { name: 'bells.md' });
    expect(await dialog.locator('mark').textContent()).toContain('A bell is rung');
  });

  test('a passage of a Markdown file is formatted, with the search terms highlighted', async () => {
    await put(
      'tyres.md',
      '# Tyres\n\nA tyre has a **statutory** depth.\n\n| Tyre | Depth |\n| --- | --- |\n| road | 1 mm |\n',
    );
    const page = await opened('?q=statutory%20tyre%20depth');
    const passage = page.locator('.passage').filter({ hasText: 'statutory' }).first();
    await passage.locator('strong mark').waitFor();
    expect(await passage.locator('strong mark').textContent()).toBe('statutory');
    expect(await passage.textContent()).not.toContain('**');
    await passage.getByRole('cell', { name: 'road' }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('a search without results says so', async () => {
    const page = await opened('?q=quantum%20chromodynamics');
    await page.getByText(/No passages found|None is relevant enough/).waitFor();
  });

  test('a document can be read, downloaded, and deleted after a confirmation', async () => {
    await put('gone.md', 'Soon gone.');
    const page = await opened();
    await row(page, 'gone.md').getByRole('button', { name: 'gone.md', exact: true }).click();
    await page.getByRole('dialog').getByText('Soon gone.').waitFor();
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download gone.md' }).click();
    expect((await download).suggestedFilename()).toBe('gone.md');
    await page.getByRole('button', { name: 'Delete gone.md' }).click();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete gone.md' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'gone.md').waitFor({ state: 'detached' });
    expect((await service.fetch('/api/v1/knowledge/documents/gone.md')).status).toBe(404);
  });

  test('the content of a hostile document has no effect', async () => {
    await put(
      'hostile.html',
      '<h1>Sprockets <img src=x onerror="window.harmed=1"></h1><p>Sprockets &lt;script&gt;window.harmed=2&lt;/script&gt; &lt;img src=x onerror="window.harmed=3"&gt;</p><script>window.harmed=4</script>',
    );
    const page = await opened('?q=sprockets');
    await page.locator('.passage mark').first().waitFor();
    await page.locator('.passage').getByRole('button', { name: 'hostile.html' }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'hostile.html').getByRole('button', { name: 'hostile.html', exact: true }).click();
    await page.getByRole('dialog').getByText('window.harmed=4').waitFor();
    expect(await page.locator('img, #root script').count()).toBe(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  });

  test('a cloud index can be searched, and names where its documents are stored', async () => {
    const search = searchService([
      { document: 'frames.pdf', heading: 'Cover', text: 'Frames are covered for ten years.' },
    ]);
    const cloud = await testService({
      env: providerEnv(provider.url),
      config: `knowledge_base: {mode: cloud}\ncloud_search: {endpoint: '${search.url}', index_name: docs, api_key: ${SEARCH_KEY}}`,
    });
    const page = await studio.open(`${cloud.url}/studio/knowledge?q=frames`);
    await page.locator('.passage').getByText('Cover · page 1').waitFor();
    await page.getByText('CONFIGURATION_ERROR').waitFor();
    await page.getByText('you manage documents in the search service').waitFor();
    await cloud.close();
    await search.close();
  });

  test("an upload sends the user's credentials, also after the access token has expired", async () => {
    const guarded = await testService({ env: providerEnv(provider.url), config: protectedConfig() });
    const page = await studio.open(`${guarded.url}/studio/knowledge`);
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('No documents yet').waitFor();
    await page.evaluate(() => {
      const held = JSON.parse(sessionStorage.getItem('skein.session') ?? '{}');
      sessionStorage.setItem('skein.session', JSON.stringify({ ...held, access_token: 'ended' }));
    });
    await page.reload();
    await drop(page, { 'bells.md': BELLS });
    await uploads(page).getByText('indexed, 1 passage').waitFor();
    await row(page, 'bells.md').getByText('ann').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await row(page, 'bells.md').getByText('indexed').waitFor();
    expect(await uploads(page).count()).toBe(0);
    await guarded.close();
  });
});
