/** The input of a graph as a form of its schema: every kind of field, errors at their fields, and JSON for everything else. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type TestService, testService } from '../support/service.ts';
import { findings } from './axe.ts';
import { type Look, studioTests } from './browser.ts';
import { IMPORTS } from './graphs-of-others.ts';

const ORDER = `${IMPORTS}
const Order = z.object({
  customer: z.string().describe('Who orders').refine((name) => name !== 'nobody', 'This customer is blocked'),
  amount: z.number().int().min(1).max(9).default(2),
  discount: z.number().nullable(),
  express: z.boolean(),
  size: z.enum(['small', 'large']),
  tags: z.array(z.string()).optional(),
  address: z.object({ street: z.string(), floor: z.number().optional() }).optional(),
  extra: z.union([z.string(), z.object({ note: z.string() })]).optional(),
});
const Context = z.object({ currency: z.enum(['EUR', 'NOK']), debug: z.boolean().optional() });
export default new StateGraph({ state: Order, input: Order, context: Context })
  .addNode('take', async () => ({})).addEdge(START, 'take').addEdge('take', END).compile();`;

const TALK = `${IMPORTS}
const State = z.object({ question: z.string(), tone: z.enum(['plain', 'formal']).default('plain') });
export default new StateGraph(State)
  .addNode('say', async () => ({})).addEdge(START, 'say').addEdge('say', END).compile();`;

studioTests('the form of an input', (studio) => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService({ graphs: { order: ORDER, talk: TALK } });
  });
  afterAll(() => service.close());

  const open = async (workflow = 'order', look?: Look) => {
    const page = await studio.open(`${service.url}/studio?workflow=${workflow}`, look);
    await page
      .getByRole('group', { name: 'Input' })
      .or(page.getByLabel('Message', { exact: true }))
      .waitFor();
    return page;
  };
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function sent(page: Page): Promise<{ input: unknown; context?: unknown; user_prompt?: string }> {
    const request = page.waitForRequest('**/api/v1/chat');
    await button(page, 'Send').click();
    return (await request).postDataJSON();
  }

  async function fillIn(page: Page): Promise<void> {
    await field(page, 'customer').fill('Ann');
    await field(page, 'discount').fill('1.05');
    await field(page, 'express').check();
    await field(page, 'size').selectOption('large');
  }

  test('each field of the schema has its control, and the filled-in values are the input', async () => {
    const page = await open();
    await page.getByText('Who orders').waitFor();
    expect(await field(page, 'amount').inputValue()).toBe('2');
    await fillIn(page);
    await button(page, 'Add to tags').click();
    await field(page, 'tags 1').fill('first');
    await button(page, 'Add to tags').click();
    await field(page, 'tags 2').fill('second');
    await button(page, 'Remove tags 1').click();
    await button(page, 'Add address').click();
    await field(page, 'street').fill('Harbour Street 1');
    await field(page, 'extra').fill('{"note": "ring twice"}');
    expect((await sent(page)).input).toEqual({
      ...{ customer: 'Ann', amount: 2, discount: 1.05, express: true, size: 'large', tags: ['second'] },
      ...{ address: { street: 'Harbour Street 1' }, extra: { note: 'ring twice' } },
    });
    await page.getByRole('article', { name: 'Answer' }).locator('.answer-foot').waitFor();
    // A new question starts with an empty form.
    await page.waitForFunction(() => !document.body.textContent?.includes('Remove address'));
    expect(await field(page, 'customer').inputValue()).toBe('');
  });

  test('a number may be null, and empty fields are left out', async () => {
    const page = await open();
    await fillIn(page);
    await button(page, 'discount: null').click();
    expect(await field(page, 'discount').getAttribute('placeholder')).toBe('null');
    await field(page, 'amount').fill('');
    expect((await sent(page)).input).toEqual({
      ...{ customer: 'Ann', discount: null, express: true, size: 'large' },
    });
  });

  test('a validation error is shown at its field, which gets the focus, and nothing is sent', async () => {
    const page = await open();
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/chat')) requests++;
    });
    await button(page, 'Send').click();
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
    const about = async (name: string) => {
      const ids = (await field(page, name).getAttribute('aria-describedby'))?.split(' ') ?? [];
      return (await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()))).join(' ');
    };
    expect(await about('customer')).toBe('Who orders This field is required.');
    expect(await about('size')).toBe('Select an option.');
    await fillIn(page);
    await field(page, 'amount').fill('1o');
    await button(page, 'Send').click();
    await page.getByText('Must be a number.').waitFor();
    await field(page, 'amount').fill('12');
    await button(page, 'Send').click();
    await page.getByText('Must be at most 9.').waitFor();
    // The focus moves in the frame after the one that shows the error.
    await page.waitForFunction(() => document.activeElement?.getAttribute('inputmode') === 'numeric');
    expect(requests).toBe(0);
  });

  test('an error of the service is shown at the field that it names, and all input is kept', async () => {
    const page = await open();
    await fillIn(page);
    await field(page, 'customer').fill('nobody');
    await sent(page);
    const form = page.getByRole('group', { name: 'Input' });
    await form.getByText('This customer is blocked').waitFor();
    expect(await field(page, 'customer').inputValue()).toBe('nobody');
    expect(await field(page, 'customer').getAttribute('aria-invalid')).toBe('true');
    expect(await field(page, 'size').inputValue()).toBe('1');
    await field(page, 'customer').fill('Bob');
    expect((await sent(page)).input).toMatchObject({ customer: 'Bob', size: 'large' });
  });

  test('the form and JSON edit the same value, which survives a reload', async () => {
    const page = await open();
    await field(page, 'customer').fill('Ann');
    await button(page, 'JSON').click();
    const text = field(page, 'Input');
    expect(JSON.parse(await text.inputValue())).toEqual({
      ...{ customer: 'Ann', amount: 2, discount: null, express: false },
    });
    await text.fill('{"customer": ');
    await button(page, 'JSON').click();
    await page.getByText('Line 1, column 14: expected a value, found the end of the text.').waitFor();
    await text.fill('{"customer": "Cy", "unknown": [1], "size": "small"}');
    await button(page, 'JSON').click();
    expect(await field(page, 'customer').inputValue()).toBe('Cy');
    await field(page, 'customer').fill('Di');
    await page.reload();
    expect(await field(page, 'customer').inputValue()).toBe('Di');
    await button(page, 'JSON').click();
    expect(JSON.parse(await text.inputValue())).toEqual({ customer: 'Di', unknown: [1], size: 'small' });
  });

  test('the context also has a form, and is sent if one of its fields has a value', async () => {
    const page = await open();
    await fillIn(page);
    await button(page, 'Advanced').click();
    const context = page.getByRole('group', { name: 'context' });
    await context.getByLabel('debug').selectOption('true');
    await button(page, 'Send').click();
    await context.getByText('Select an option.').waitFor();
    await context.getByLabel('currency').selectOption('NOK');
    expect((await sent(page)).context).toEqual({ debug: true, currency: 'NOK' });
    const other = await open();
    await fillIn(other);
    await button(other, 'Advanced').click();
    await other.getByRole('group', { name: 'context' }).waitFor();
    expect((await sent(other)).context).toBeUndefined();
  });

  test('a graph with text input has its other fields behind a button', async () => {
    const page = await open('talk');
    await button(page, 'Fields').click();
    await field(page, 'question').fill('How?');
    await field(page, 'tone').selectOption('formal');
    expect((await sent(page)).input).toEqual({ question: 'How?', tone: 'formal' });
    await button(page, 'Fields').click();
    await field(page, 'Message').fill('And why?');
    expect((await sent(page)).user_prompt).toBe('And why?');
  });

  test('a form can be filled in with the keyboard only', async () => {
    const page = await open();
    await field(page, 'customer').focus();
    await page.keyboard.type('Ann');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1');
    for (let press = 0; press < 3; press++) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await field(page, 'express').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type('small');
    expect(await field(page, 'size').inputValue()).toBe('0');
  });

  test('a hostile schema is shown as text, and the page keeps working', async () => {
    const page = await studio.open('about:blank');
    const hostile = {
      type: 'object',
      title: '<img src=x onerror="window.harmed=1">',
      required: ['<b>name</b>', 'self'],
      properties: {
        '<b>name</b>': { type: 'string', description: '<script>window.harmed=2</script>' },
        constructor: { type: 'string' },
        'a.b': { enum: [{ deep: '<i>' }, ['x'.repeat(5_000)]] },
        self: { $ref: '#' },
        many: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [n, {}])),
        },
      },
    };
    await page.route('**/api/v1/workflows', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const entry = list.workflows.find((one: { workflow: string }) => one.workflow === 'order');
      Object.assign(entry, { input_schema: hostile });
      await route.fulfill({ response, json: list });
    });
    await page.goto(`${service.url}/studio?workflow=order`);
    await page.getByText('<script>window.harmed=2</script>').first().waitFor();
    await field(page, 'constructor').first().fill('made');
    expect(await page.locator('.schema-form b, .schema-form img, .schema-form script').count()).toBe(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });

  test.each<Look>([
    { width: 1440, scheme: 'light' },
    { width: 1024, scheme: 'dark' },
    { width: 390, scheme: 'light' },
  ])('axe finds nothing: %o', async (look) => {
    const page = await open('order', look);
    await button(page, 'Add address').click();
    await button(page, 'Add to tags').click();
    await button(page, 'Advanced').click();
    await page.getByRole('group', { name: 'context' }).waitFor();
    await button(page, 'Send').click();
    await page.getByText('This field is required.').first().waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });
});
