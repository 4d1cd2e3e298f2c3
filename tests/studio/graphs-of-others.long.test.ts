/** LangGraph graphs that weren't written for Skein, in the studio: tools, loops, subgraphs, several questions, breakpoints, JSON input. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type TestService, testService } from '../support/service.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { askingAgent, GRAPHS_OF_OTHERS, LOOP_INPUT, TRIP_INPUT } from './graphs-of-others.ts';

studioTests('graphs of a project', (studio) => {
  let service: TestService;
  const shop = Promise.withResolvers<Response>();
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(async () => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: () => shop.promise });
    service = await testService({ graphs: { ...GRAPHS_OF_OTHERS, shop: askingAgent(server.url.href) } });
  });
  afterAll(async () => {
    await service.close();
    await server.stop(true);
  });

  const open = (path: string) => studio.open(`${service.url}/studio${path}`);
  const ask = async (workflow: string, body: object) =>
    (await service.chat({ conversation_flow: workflow, user_prompt: 'Go.', ...body })).body;
  const rows = (page: Page) => page.getByRole('list', { name: 'Waterfall' }).getByRole('button');
  const labels = (page: Page) => page.locator('.waterfall-row .label').allTextContents();
  const lit = (page: Page, name: string | RegExp, status: string) =>
    page.locator(`.graph-node[data-status="${status}"]`, { hasText: name }).waitFor();
  const answer = (page: Page) => page.getByRole('article', { name: 'Answer' }).last();

  test('each tool call has its own bar with input, output and time', async () => {
    const { run_id } = await ask('assistant', { user_prompt: 'The weather of Oslo, and place the order.' });
    const page = await open(`/runs/${run_id}`);
    await rows(page).filter({ hasText: 'get_weather' }).click();
    const calls = page.getByRole('list', { name: 'Tool calls' });
    const [weather, order] = [calls.getByRole('listitem').first(), calls.locator('> li').nth(1)];
    await weather.getByText('get_weather').waitFor();
    await weather.getByText('"sunny"').waitFor();
    expect(await weather.locator('summary').first().textContent()).toMatch(/\d+ ms$/);
    await order.getByRole('img', { name: 'failed' }).waitFor();
    await order.getByText('The shop is closed').waitFor();
    expect((await labels(page)).filter((label) => !/^(Queued|Waited)/.test(label))).toEqual([
      ...['agent #1', 'chat · skein-offline', 'tools', 'get_weather', 'place_order'],
      ...['agent #2', 'chat · skein-offline'],
    ]);
    expect(await page.locator('.edge[data-taken="true"]').count()).toBe(4);
  });

  test('a running tool is shown in the conversation and in the run panel', async () => {
    const page = await open('?workflow=shop');
    await page.getByLabel('Message', { exact: true }).fill('Ask the shop.');
    await page.keyboard.press('Enter');
    await page
      .getByRole('group', { name: 'tools' })
      .locator('.chip.running', { hasText: 'ask_shop' })
      .waitFor();
    const call = page.getByRole('list', { name: 'Tool calls' });
    await call.getByRole('img', { name: 'started' }).waitFor();
    shop.resolve(new Response('Open until six.'));
    await answer(page).getByText('ask_shop gave: Open until six.').waitFor();
    await page.getByRole('button', { name: 'tools finished' }).click();
    await call.getByText('Open until six.').waitFor();
  });

  test('each execution of a node in a loop has its own bar and data', async () => {
    const { run_id } = await ask('loop', {});
    const page = await open(`/runs/${run_id}`);
    await lit(page, /draft.*×3/, 'good');
    await rows(page).filter({ hasText: 'draft #2' }).click();
    await page.getByText('"draft 2"').waitFor();
    await page.getByLabel('Execution').selectOption('3');
    await page.getByText('"draft 3"').waitFor();
    expect(await page.getByText('"draft 2"').count()).toBe(0);
    await page.getByRole('tab', { name: 'State' }).click();
    await page.getByText('drafts', { exact: true }).waitFor();
  });

  test('two runs are compared by the executions of each node', async () => {
    const [left, right] = [await ask('loop', {}), await ask('loop', { interrupt_before: ['review'] })];
    const page = await open(`/compare?left=run:${left.run_id}&right=run:${right.run_id}`);
    await page.getByRole('row', { name: /^draft #2 finished · \d+ ms.* didn't run$/ }).waitFor();
  });

  test('subgraphs expand in the graph and are indented in the timeline', async () => {
    const { run_id } = await ask('nested', {});
    const page = await open(`/runs/${run_id}`);
    await lit(page, 'research', 'good');
    await page.getByRole('button', { name: 'Expand research' }).click();
    await page.getByRole('button', { name: 'Expand check' }).click();
    await lit(page, 'style', 'good');
    const left = async (name: string) =>
      await rows(page)
        .filter({ hasText: name })
        .locator('.label')
        .evaluate((label) => Number.parseFloat(getComputedStyle(label).paddingLeft));
    const indents = await Promise.all(['plan', 'collect', 'facts'].map(left));
    expect(indents).toEqual(indents.toSorted((a, b) => a - b));
    expect(new Set(indents).size).toBe(3);
    await rows(page).filter({ hasText: 'facts' }).click();
    await page
      .getByRole('region', { name: 'Node research:check:facts' })
      .getByText('The facts hold.')
      .waitFor();
    await page.getByRole('button', { name: 'Collapse research', exact: true }).click();
    await page.locator('.graph-node[data-selected="true"]', { hasText: 'research' }).waitFor();
  });

  test('some of several questions can be answered, and the others stay open', async () => {
    await ask('questions', { thread_id: 'two' });
    const page = await open('/threads/two');
    const price = page.getByRole('region', { name: 'ask_price is waiting for you' });
    const date = page.getByRole('region', { name: 'ask_date is waiting for you' });
    await date.getByLabel('Your answer').fill('Monday');
    await date.getByRole('button', { name: 'Answer', exact: true }).click();
    await page
      .getByRole('region', { name: 'Answer to ask_date' })
      .getByRole('button', { name: 'Change' })
      .click();
    await date.getByLabel('Your answer').fill('Friday');
    await date.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('button', { name: 'Send 1 of 2 answers' }).click();
    await page.getByText('Is 400 € fine?').waitFor();
    await date.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Approve' }).click();
    await answer(page).getByText('Booked: [true,"Friday"]').waitFor();
    expect(await price.count()).toBe(0);
  });

  test('two questions can be answered together', async () => {
    await ask('questions', { thread_id: 'both' });
    const page = await open('/threads/both');
    await page
      .getByRole('region', { name: 'ask_price is waiting' })
      .getByRole('button', { name: 'Reject' })
      .click();
    await page
      .getByRole('region', { name: 'ask_date is waiting' })
      .getByRole('button', { name: 'Approve' })
      .click();
    await page.getByRole('button', { name: 'Send 2 answers' }).click();
    await answer(page).getByText('Booked: [false,true]').waitFor();
  });

  test('a run that stopped before a node names it, and continues', async () => {
    await ask('nested', { thread_id: 'stopped', interrupt_before: ['write'] });
    const page = await open('/threads/stopped');
    const stop = page.getByRole('region', { name: 'Run stopped' });
    await stop.getByText('Stopped before write').waitFor();
    await lit(page, 'write', 'waiting');
    await stop.getByRole('button', { name: 'Continue' }).click();
    await answer(page).getByText('It is written.').waitFor();
    await stop.waitFor({ state: 'detached' });
  });

  /** Opens the composer with this entry in the list of workflows. */
  async function composer(workflow: string, listed: object): Promise<Page> {
    const page = await open('/workflows');
    await page.route('**/api/v1/workflows', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const entry = list.workflows.find((one: { workflow: string }) => one.workflow === workflow);
      Object.assign(entry, listed);
      await route.fulfill({ response, json: list });
    });
    await page.goto(`${service.url}/studio?workflow=${workflow}`);
    return page;
  }

  test('a graph with text input can also be given JSON', async () => {
    const page = await composer('loop', { takes_prompt: true, input_schema: LOOP_INPUT });
    await page.getByRole('button', { name: 'Fields' }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    const input = page.getByLabel('Input', { exact: true });
    expect(await input.inputValue()).toBe('{}');
    await input.fill('{"messages": [], "drafts": 2}');
    await page.getByRole('button', { name: 'Send' }).click();
    await answer(page).getByText('Draft 3 is reviewed.').waitFor();
    expect(await answer(page).getByText('Draft 1 is reviewed.').count()).toBe(0);
  });

  test('a graph without text input can be given JSON, a context, and nodes to stop before', async () => {
    const page = await composer('trip', TRIP_INPUT);
    await page.getByRole('button', { name: 'JSON' }).click();
    const input = page.getByLabel('Input', { exact: true });
    await page.getByText('city* string').waitFor();
    await input.fill('{\n  "city": "Oslo",\n  "days": }');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Line 3, column 11: expected a value, found “}”.').waitFor();
    await page.getByRole('button', { name: 'Go to error' }).click();
    expect(await input.evaluate((field: HTMLTextAreaElement) => field.value[field.selectionStart])).toBe('}');
    await input.fill('{"city": "Oslo", "days": 3}');
    await page.getByRole('button', { name: 'Advanced' }).click();
    await page.getByRole('group', { name: 'Advanced' }).getByRole('button', { name: 'JSON' }).click();
    await page.getByText('currency string').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('context').fill('["NOK"]');
    await page.getByLabel('interrupt_before').fill('confirm');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Must be an object').waitFor();
    await page.getByLabel('context').fill('{"currency": "NOK"}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Stopped before confirm').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await answer(page).getByText('3 days in Oslo, in NOK, confirmed').waitFor();
  });
});
