/** A graph of 200 nodes: its labels can be read, its nodes are found, and the page stays responsive during the layout. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type TestService, testService } from '../support/service.ts';
import { findings } from './axe.ts';
import { type Look, studioTests } from './browser.ts';
import { LARGE_GRAPH } from './large-graph.ts';
import { longestTask } from './longest-task.ts';

studioTests('a large graph', (studio) => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService({ graphs: { large: LARGE_GRAPH } });
  });
  afterAll(() => service.close());

  const address = (query = '') => `${service.url}/studio/workflows/large${query}`;
  async function open(query = '', look?: Look): Promise<Page> {
    const page = await studio.open(address(query), look);
    await page.locator('.graph-node').first().waitFor();
    return page;
  }
  const node = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const query = (page: Page) => new URL(page.url()).searchParams.get('node');

  /** In pixels of the screen; undefined if the node is outside of the frame. */
  async function letters(page: Page, id: string): Promise<number | undefined> {
    return await node(page, id).evaluate((element) => {
      const label = element.querySelector('.label');
      const frame = element.closest('.react-flow')?.getBoundingClientRect();
      const box = element.getBoundingClientRect();
      const isIn =
        frame && box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1;
      const scale = box.width / (element as HTMLElement).offsetWidth;
      return isIn && label ? Number.parseFloat(getComputedStyle(label).fontSize) * scale : undefined;
    });
  }

  test('its labels are readable at every width, and all of it is shown', async () => {
    for (const width of [1440, 1024, 390]) {
      const page = await open('', { width, height: 860 });
      expect(await page.locator('.graph-node').count()).toBe(162);
      const [zoom] = await page
        .locator('.react-flow__viewport')
        .evaluateAll((all) => all.map((one) => new DOMMatrix(getComputedStyle(one).transform).a));
      expect(zoom).toBeGreaterThan(0.7);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
  });

  test('a node is found by name, also in collapsed subgraphs, and the address has the selection', async () => {
    const page = await open();
    const field = page.getByLabel('Find node');
    await field.fill('branch_7_step_12');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await node(page, 'branch_7_step_12').locator('[data-selected="true"]').waitFor();
    expect(await letters(page, 'branch_7_step_12')).toBeGreaterThan(9);
    expect(query(page)).toBe('branch_7_step_12');
    await field.fill('settle');
    await page.getByText('10 matches').waitFor();
    for (let press = 0; press < 4; press++) await page.keyboard.press('Enter');
    await page.getByText('4 of 10').waitFor();
    await node(page, 'branch_3_step_7:judge:settle').locator('[data-selected="true"]').waitFor();
    await page.waitForFunction((id) => {
      const box = document.querySelector(`[data-id="${id}"]`)?.getBoundingClientRect();
      const frame = document.querySelector('.react-flow')?.getBoundingClientRect();
      return box && frame && box.left > frame.left && box.right < frame.right && box.bottom < frame.bottom;
    }, 'branch_3_step_7:judge:settle');
    await page.keyboard.press('Shift+Enter');
    await page.getByText('3 of 10').waitFor();
    await field.fill('nowhere');
    await page.getByText('0 matches').waitFor();
  });

  test('a link opens the node that it names, however deep; an unknown name is ignored', async () => {
    const id = 'branch_9_step_7:judge:weigh_evidence';
    const page = await open(`?node=${encodeURIComponent(id)}`);
    await node(page, id).locator('[data-selected="true"]').waitFor();
    await page.waitForFunction((id) => {
      const box = document.querySelector(`[data-id="${id}"]`)?.getBoundingClientRect();
      const frame = document.querySelector('.react-flow')?.getBoundingClientRect();
      return box && frame && box.left >= frame.left && box.right <= frame.right && box.top >= frame.top;
    }, id);
    await page.getByRole('button', { name: 'Collapse branch_9_step_7', exact: true }).click();
    await page.locator('.graph-node[data-selected="true"]', { hasText: 'branch_9_step_7' }).waitFor();
    for (const odd of ['none', '"]<b>', 'a:b:c:d:e', '__proto__', '%00'])
      await (await open(`?node=${encodeURIComponent(odd)}`)).close();
  });

  test('zoomed out, a node only shows its name, in larger letters', async () => {
    const page = await open();
    const plan = node(page, 'plan');
    await plan.getByText('no runs').waitFor();
    const before = await plan.locator('.label').evaluate((label) => getComputedStyle(label).fontSize);
    for (let press = 0; press < 5; press++) await page.getByRole('button', { name: 'Zoom Out' }).click();
    await plan.getByText('no runs').waitFor({ state: 'hidden' });
    const after = await plan.locator('.label').evaluate((label) => getComputedStyle(label).fontSize);
    expect(Number.parseFloat(after)).toBeGreaterThan(1.3 * Number.parseFloat(before));
  });

  test('it fills the screen until Escape, which restores the focus', async () => {
    const page = await open('', { width: 1024 });
    await page.getByRole('button', { name: 'Full screen' }).click();
    const dialog = page.getByRole('dialog', { name: 'Graph of large' });
    await dialog.locator('.graph-node').first().waitFor();
    const box = await dialog.locator('.react-flow').boundingBox();
    expect(box?.width).toBe(1024);
    expect(box?.height).toBeGreaterThan(700);
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel('Find node').fill('branch_0_step_15');
    await page.keyboard.press('Enter');
    await node(page, 'branch_0_step_15').locator('[data-selected="true"]').waitFor();
    await page.getByRole('button', { name: 'Exit full screen' }).focus();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[aria-label="Full screen"]:focus').waitFor();
  });

  test('its layout runs in a worker, so the page stays responsive', async () => {
    const page = await studio.open('about:blank');
    await page.addInitScript(() => {
      const said: string[] = [];
      const Own = Worker;
      Object.assign(window, {
        said,
        Worker: class extends Own {
          constructor(url: string | URL, options?: WorkerOptions) {
            super(url, options);
            for (const kind of ['message', 'error']) this.addEventListener(kind, () => said.push(kind));
          }
        },
      });
    });
    await page.goto(address());
    await page.locator('.graph-node').first().waitFor();
    const kinds = await page.evaluate(() => (window as unknown as { said: string[] }).said);
    expect(new Set(kinds)).toEqual(new Set(['message']));
  });

  // About 80 ms; 200 if the layout ran in the page.
  test('drawing it does not block the page', async () => {
    const page = await studio.open('about:blank', { width: 1440 });
    const longest = await longestTask(page, async () => {
      await page.goto(address());
      await page.locator('.edge').first().waitFor({ state: 'attached' });
      await page.getByLabel('Find node').fill('settle');
      await page.keyboard.press('Enter');
      await page.getByText('1 of 10').waitFor();
      await page.getByRole('button', { name: 'Full screen' }).click();
      await page.getByRole('dialog').locator('.graph-node').first().waitFor();
    });
    expect({ longest, isShort: longest < 150 }).toEqual({ longest, isShort: true });
  });

  test('axe finds nothing in dark mode at 390 pixels', async () => {
    const page = await open('?node=branch_2_step_3', { width: 390, scheme: 'dark' });
    expect(await findings(page)).toEqual([]);
  });
});
