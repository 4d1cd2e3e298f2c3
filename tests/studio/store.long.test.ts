/** The store in the studio: namespaces, items, one item with its times, changes, deletion, and the stores of other callers. */
import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ANN, BOB, OTHER_PASSWORD, PASSWORD, protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { EVERY_LOOK, type Look, studioTests } from './browser.ts';

const HOSTILE = '<img src=x onerror="window.harmed=1">';

studioTests('the store', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, protectedConfig('operators: ["user:ann"]'));

  async function put(
    who: Record<string, string>,
    namespace: string[],
    key: string,
    value: object,
    ttl?: number,
  ) {
    const { status } = await service.fetch('/store/items', {
      ...{ method: 'PUT', headers: { ...who, 'content-type': 'application/json' } },
      body: JSON.stringify({ namespace, key, value, ...(ttl && { ttl }) }),
    });
    expect(status).toBe(204);
  }
  const stored = async (namespace: string, key: string) => {
    const query = new URLSearchParams({ namespace, key });
    const response = await service.fetch(`/api/v1/store/item?${query}`, { headers: BOB });
    return { status: response.status, body: await response.json() };
  };

  beforeAll(async () => {
    await put(BOB, ['users', 'bob'], 'colour', { favourite: 'red', [HOSTILE]: HOSTILE });
    await put(BOB, ['users', 'bob'], 'passing', { note: 'soon gone' }, 90);
    for (let n = 0; n < 60; n++) await put(BOB, ['many', 'things'], `thing ${n}`, { n });
    await put(BOB, ['drafts'], 'to go', { text: 'x' });
  });

  async function logIn(name: string, password: string, path = '/store', look?: Look): Promise<Page> {
    const page = await studio.open(`${service.url}/studio${path}`, look);
    await page.getByLabel('Username').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Store' }).waitFor();
    return page;
  }
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test('namespaces and items are listed, paged, and searched by prefix', async () => {
    const page = await logIn('bob', OTHER_PASSWORD);
    await link(page, 'colour').waitFor();
    const names = page.getByRole('navigation', { name: 'Namespaces' }).getByRole('button');
    expect(await names.allTextContents()).toEqual(['All', 'drafts', 'many › things', 'users › bob']);
    expect(await page.locator('.store-table tbody tr').count()).toBe(50);
    await button(page, 'Load more items').click();
    await link(page, 'to go').waitFor();
    expect(await page.locator('.store-table tbody tr').count()).toBe(63);
    await button(page, 'users › bob').click();
    await page.waitForFunction(() => document.querySelectorAll('.store-table tbody tr').length === 2);
    await page.getByRole('row', { name: /passing.*in (89|90) min$/ }).waitFor();
    await page.getByLabel('Namespace prefix').fill('user');
    await page.keyboard.press('Enter');
    await page.getByText('No items found').waitFor();
    await page.getByLabel('Namespace prefix').fill('a:b');
    await page.keyboard.press('Enter');
    await page.getByText('cannot contain colons').waitFor();
    await page.getByLabel('Namespace prefix').fill('many');
    await page.keyboard.press('Enter');
    await link(page, 'thing 0').waitFor();
  });

  test('an item is shown as JSON with its times, at its own address, and reading it does not extend its life', async () => {
    const before = (await stored('users.bob', 'passing')).body.expires_at;
    const page = await logIn('bob', OTHER_PASSWORD, '/store?at=users.bob&key=passing');
    const dialog = page.getByRole('dialog', { name: 'passing' });
    await dialog.getByText('"soon gone"').waitFor();
    await dialog.getByText('90 min after the last write or read').waitFor();
    await button(page, 'Close').click();
    await link(page, 'colour').click();
    await page
      .getByRole('dialog')
      .getByText(`"${HOSTILE.replaceAll('"', '\\"')}"`)
      .waitFor();
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect((await stored('users.bob', 'passing')).body.expires_at).toBe(before);
  });

  test('an item can be edited and keeps its time to live, and is deleted after a confirmation', async () => {
    const page = await logIn('bob', OTHER_PASSWORD, '/store?at=users.bob&key=passing');
    await button(page, 'Edit').click();
    await page.getByLabel('Value').fill('[1]');
    await button(page, 'Save').click();
    await page.getByText('Must be an object').waitFor();
    await page.getByLabel('Value').fill('{"note": "changed"}');
    await button(page, 'Save').click();
    await page.getByRole('dialog').getByText('"changed"').waitFor();
    expect((await stored('users.bob', 'passing')).body).toMatchObject({
      ...{ value: { note: 'changed' }, ttl_minutes: 90 },
    });
    await button(page, 'Close').click();
    await button(page, 'drafts').click();
    await link(page, 'to go').click();
    await button(page, 'Delete').click();
    await button(page, 'Cancel').click();
    expect((await stored('drafts', 'to go')).status).toBe(200);
    await button(page, 'Delete').click();
    await button(page, 'Delete permanently').click();
    await page.getByText('No items found').waitFor();
    expect((await stored('drafts', 'to go')).status).toBe(404);
  });

  test("an operator reads one caller's store and changes nothing, and nobody else can read it", async () => {
    const page = await logIn('ann', PASSWORD);
    await page.getByText('No items yet').waitFor();
    await page.getByLabel('All callers').check();
    await page.getByText('Select a caller').waitFor();
    await page.getByLabel('All callers').uncheck();
    await page.getByLabel('Caller', { exact: true }).fill('user:bob');
    await page.keyboard.press('Enter');
    await link(page, 'colour').click();
    await page.getByRole('dialog').getByText('"red"').waitFor();
    for (const name of ['Edit', 'Delete'])
      expect([name, await button(page, name).count()]).toEqual([name, 0]);
    const other = await logIn('bob', OTHER_PASSWORD, '/store?owner=user:ann');
    await other.getByText('No items yet').waitFor();
    await put(ANN, ['private'], 'secret', { is: 'canary' });
    await other.reload();
    await other.getByText('No items yet').waitFor();
  });

  test.each(EVERY_LOOK)('axe finds nothing: %o', async (look) => {
    const page = await logIn('bob', OTHER_PASSWORD, '/store', look);
    await link(page, 'colour').waitFor();
    expect(await findings(page)).toEqual([]);
    await link(page, 'colour').click();
    await page.getByRole('dialog').getByText('"red"').waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });
});
