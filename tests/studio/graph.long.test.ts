/** The live graph: nodes that light up, edges that were taken, what a node did, heat, and pictures. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { runningProvider } from '../server/support/running.ts';
import { isStructured } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { studioTests } from './browser.ts';
import { heldAnswer } from './held-answer.ts';

studioTests('the graph', (studio) => {
  const provider = runningProvider();
  let service: TestService;
  beforeAll(async () => {
    const env = { ...providerEnv(provider.url), SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' };
    service = await testService({ env });
  });
  afterAll(() => service.close());

  const node = (page: Page, name: string) =>
    page.locator('.graph-node', { has: page.locator('.label', { hasText: new RegExp(`^${name}$`) }) });
  const nodeWithStatus = (page: Page, name: string, status: string) =>
    page.locator(`.graph-node[data-status="${status}"]`, { hasText: name }).waitFor();

  async function send(page: Page, text: string, workflow: string) {
    await page.getByLabel('Workflow', { exact: true }).selectOption(workflow);
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }

  test('nodes light up during a run, and the edges that the run took are drawn', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await studio.open(`${service.url}/studio`);
    await page.getByRole('button', { name: 'Show graph' }).click();
    await nodeWithStatus(page, 'support_responder', 'idle');
    await send(page, 'A broken pedal', 'classification-agent');
    await held.called;
    await nodeWithStatus(page, 'classification_agent', 'good');
    await nodeWithStatus(page, 'support_responder', 'running');
    expect(await page.locator('.edge[data-taken="true"]').count()).toBe(2);
    held.say('Done.');
    held.end();
    await nodeWithStatus(page, 'support_responder', 'good');
    await nodeWithStatus(page, 'purchase_responder', 'idle');
    await page.waitForFunction(() => document.querySelectorAll('.edge[data-taken="true"]').length === 3);
    await node(page, 'support_responder').getByText('30 tok').waitFor();
  });

  test('a failed node is red', async () => {
    provider.script = echoing({ answer: () => Response.json({}, { status: 400 }) });
    const page = await studio.open(`${service.url}/studio`);
    await send(page, 'A broken pedal', 'classification-agent');
    await nodeWithStatus(page, 'support_responder', 'bad');
  });

  test('a node shows its input, output, prompt, model calls and state', async () => {
    provider.script = echoing({ answer: 'Send a photo.' });
    const { body } = await service.chat({ user_prompt: 'A broken pedal', thread_id: 'nodes' });
    const page = await studio.open(`${service.url}/studio/threads/nodes?run=${body.run_id}`);
    await node(page, 'support_responder').getByRole('button').first().click();
    const details = page.getByRole('region', { name: 'Node support_responder' });
    await details.getByText('A broken pedal').waitFor();
    await details.getByText('Send a photo.').waitFor();
    await details.getByRole('tab', { name: 'Prompts 1' }).click();
    await details.getByText('classification-agent.support_responder.jinja').waitFor();
    await details.getByText('revision default · shipped version').waitFor();
    await details.getByRole('tab', { name: 'Model calls 1' }).click();
    await details.locator('summary', { hasText: 'answer' }).click();
    await details.getByText('test-model').waitFor();
    await details.getByText('20 in, 10 out').waitFor();
    await details.getByText('system', { exact: true }).waitFor();
    await details.getByRole('tab', { name: 'State' }).click();
    await details.getByText('messages', { exact: true }).waitFor();
  });

  test('the steps of an agent expand and collapse, and a repaired query shows two executions', async () => {
    let written = 0;
    provider.script = (request) =>
      isStructured(request)
        ? {
            sql: written++ === 0 ? 'SELECT nothing FROM products' : 'SELECT count(*) AS n FROM products',
            explanation: '',
            tables: [],
          }
        : 'In words.';
    const { body } = await service.chat({
      user_prompt: 'How many?',
      conversation_flow: 'sql-manipulation-agent',
    });
    expect(body.outputs[0].data.rows.length).toBe(1);
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    await nodeWithStatus(page, 'write_query', 'good');
    await node(page, 'write_query').getByText('×2').waitFor();
    await nodeWithStatus(page, 'approve', 'idle');
    await node(page, 'run_query').getByRole('button').first().click();
    await page.getByRole('region', { name: 'Node sql_manipulation_agent:run_query' }).waitFor();
    await page.getByRole('button', { name: 'Collapse sql_manipulation_agent' }).click();
    await nodeWithStatus(page, 'sql_manipulation_agent', 'good');
    expect(await page.locator('.graph-node').count()).toBe(1);
    await page.getByRole('button', { name: 'Expand sql_manipulation_agent' }).click();
    await nodeWithStatus(page, 'run_query', 'good');
  });

  test('recent runs are shown as a heat map, and the graph is exported as SVG, PNG and Mermaid', async () => {
    const page = await studio.open(`${service.url}/studio/workflows/classification-agent`);
    await page.getByLabel('Colour by').selectOption('tokens');
    await node(page, 'classification_agent')
      .getByText(/^30 tok, \d+ runs?$/)
      .waitFor();
    await page.getByLabel('Colour by').selectOption('failures');
    await node(page, 'support_responder')
      .getByText(/% of \d+ runs?$/)
      .waitFor();
    await node(page, 'purchase_responder').getByText('no runs').waitFor();

    async function taken(format: string): Promise<{ name: string; bytes: Buffer }> {
      const waiting = page.waitForEvent('download');
      await page.getByLabel('Export graph').selectOption(format);
      const download: Download = await waiting;
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    }
    const svg = await taken('svg');
    expect(svg.name).toBe('classification-agent.svg');
    expect(svg.bytes.toString()).toContain('>support_responder</text>');
    const png = await taken('png');
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect((await taken('mermaid')).bytes.toString()).toContain('support_responder');
  });
});
