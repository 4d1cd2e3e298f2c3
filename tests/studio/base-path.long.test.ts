/** The studio of a service below a path: its pages, its links, and its API requests. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { KEY, protectedConfig } from '../server/support/credentials.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { studioTests } from './browser.ts';

const BASE = '/tools/skein';

studioTests('below a path', (studio) => {
  const provider = scriptedProvider();
  let service: TestService;
  beforeAll(async () => {
    service = await testService({
      config: `web_configuration: {base_path: ${BASE}}`,
      env: providerEnv(provider.url),
    });
  });
  afterAll(async () => {
    await service.close();
    await provider.close();
  });

  test('the page is loaded from there and knows its base path', async () => {
    const response = await service.fetch('/studio');
    const page = await response.text();
    expect(page).toContain(`<meta name="skein-base" content="${BASE}">`);
    const files = Array.from(page.matchAll(/(?:src|href)="(\/[^"]+)"/g), ([, path = '']) => path);
    expect(files.length).toBeGreaterThan(2);
    for (const path of files)
      expect([path, (await fetch(new URL(path, service.url))).status]).toEqual([path, 200]);
  }, 120_000);

  test('the pages load at their addresses, links work and a chat runs', async () => {
    const page = await studio.open(`${service.url}/studio/workflows`);
    await page.getByText('classification-agent').first().waitFor();
    const links = await page
      .locator('a[href^="/"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(link).toStartWith(`${BASE}/`);
    await page.locator(`a[href="${BASE}/studio/runs"]`).first().click();
    await page.waitForURL(`**${BASE}/studio/runs`);
    const paths = new Set<string>();
    page.on('request', (request) => paths.add(new URL(request.url()).pathname));
    // The page is never idle, because it keeps a stream of changes open.
    const listens = page.waitForRequest((request) => request.url().includes('/api/v1/thread-changes'));
    await page.reload();
    await page.getByText('No runs yet').waitFor();
    await listens;
    expect([...paths].some((path) => path.includes('/api/v1/'))).toBe(true);
    for (const path of paths) expect(path).toStartWith(`${BASE}/`);
  });

  test('an upload replaces the document with the same name', async () => {
    const page = await studio.open(`${service.url}/studio/knowledge`);
    const bells = { name: 'bells.md', mimeType: 'text/markdown', buffer: Buffer.from('Bells are rung.') };
    await page.getByLabel('Files to upload').setInputFiles(bells);
    await page.getByText('Indexed, 1 passage').waitFor();
    await page.getByLabel('Files to upload').setInputFiles(bells);
    await page.getByText('A document with this name already exists.').waitFor();
  });

  test('an API key logs in', async () => {
    const config = `${protectedConfig()}  base_path: ${BASE}\n`;
    const guarded = await testService({ config, env: providerEnv(provider.url) });
    const page = await studio.open(`${guarded.url}/studio/runs`);
    await page.getByRole('button', { name: 'Use an access token or API key' }).click();
    await page.getByLabel('Access token or API key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByText('No runs yet').waitFor();
    await guarded.close();
  });
});
