/** The call playground: a recorded model call is changed, sent again, compared, and its prompt file becomes a new version. */
import { beforeEach, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { echoing, failure } from '../server/support/calls.ts';
import { BOB, OTHER_PASSWORD, PASSWORD, protectedConfig } from '../server/support/credentials.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { heldAnswer } from './held-answer.ts';

const RESPONDER = 'classification-agent.support_responder.jinja';

studioTests('the call playground', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, 'models: [{model: test-model, price: {input: 1, output: 10}}]');
  let run = '';
  beforeEach(async () => {
    provider.script = echoing({ answer: 'Send a photo of it.' });
    run = (await service.chat({ user_prompt: 'My saddle broke' })).body.run_id;
    provider.requests.length = 0;
  });

  const opened = async (look = {}) => {
    const page = await studio.open(`${service.url}/studio/playground?run=${run}&call=1`, look);
    await page.getByRole('heading', { name: 'Call playground' }).waitFor();
    return page;
  };
  const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
  const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
  const template = (page: Page) => page.getByLabel('Prompt file of message 1');

  test('opens from a model call of a run, and shows its request and response', async () => {
    const page = await studio.open(`${service.url}/studio/runs/${run}`);
    await page.getByRole('list', { name: 'Waterfall' }).getByText('support_responder').click();
    await page.getByRole('tab', { name: 'Model calls 1' }).click();
    await page.locator('.call > summary').click();
    await page.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByText('support_responder · answer · test-model').waitFor();
    expect(await page.getByLabel('Text of message 2').inputValue()).toBe('My saddle broke');
    expect(await template(page).inputValue()).toContain('{{ category.name }}');
    await card(page, 'Recorded').getByText('Send a photo of it.').waitFor();
    await card(page, 'Recorded').getByText('20 in, 10 out').waitFor();
    await page.getByRole('link', { name: 'Back to run' }).click();
    await page.getByRole('list', { name: 'Waterfall' }).waitFor();
  });

  test('messages, tools and sampling can be edited and sent, and the differing words are marked', async () => {
    const page = await opened();
    await page.getByLabel('Text of message 2').fill('My bell broke');
    await page.getByRole('button', { name: 'Add message' }).click();
    await page.getByLabel('Text of message 3').fill('Which one?');
    await page.getByRole('button', { name: 'Add message' }).click();
    await page.getByLabel('Role of message 4').selectOption('system');
    await page.getByLabel('Text of message 4').fill('Rhyme.');
    await page.getByRole('button', { name: 'Move message 4 up' }).click();
    await page.getByRole('button', { name: 'Remove message 4' }).click();
    await page.getByRole('button', { name: 'Add tool' }).click();
    await page.getByLabel('Name of tool 1').fill('search');
    await page.getByLabel('Description of tool 1').fill('Searches');
    await page.getByLabel('JSON Schema of tool 1').fill('{"type": "object"');
    await page.getByText('Line 1, column 18').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByLabel('JSON Schema of tool 1').fill('{"type": "object"}');
    await page.getByLabel('Tool choice').selectOption({ label: 'None' });
    await page.getByLabel('Temperature').fill('0.4');
    await page.getByLabel('Max tokens').fill('99');
    provider.script = () => toolless('Send a video of it.');
    await send(page);
    await card(page, 'Answer 1').locator('ins').getByText('video', { exact: true }).waitFor();
    await card(page, 'Recorded').locator('del').getByText('photo', { exact: true }).waitFor();
    expect(await card(page, 'Answer 1').locator('ins').count()).toBe(1);
    await card(page, 'Answer 1').getByText('20 in, 10 out').waitFor();
    await card(page, 'Answer 1').getByText('0.00012').waitFor();
    const [request] = provider.requests;
    expect(request).toMatchObject({
      ...{ temperature: 0.4, max_tokens: 99, tool_choice: 'none' },
      tools: [{ type: 'function', function: { name: 'search', description: 'Searches' } }],
    });
    expect(request?.messages.slice(1)).toEqual([
      { role: 'user', content: 'My bell broke' },
      { role: 'system', content: 'Rhyme.' },
    ]);
    expect(request?.messages[0]?.content).toContain('support');
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await page.getByLabel('Text of message 2').inputValue()).toBe('My saddle broke');
    expect(await page.getByLabel('Name of tool 1').count()).toBe(0);
  });

  test('a call can be sent several times, the answers are compared, and a failed one says why', async () => {
    const page = await opened();
    provider.script = (_, index) => (index === 1 ? failure(400) : 'Send a photo of it, please.');
    await page.getByLabel('Times').fill('3');
    await send(page);
    await page.getByText('3 answers, 1 failed').waitFor();
    expect(provider.requests).toHaveLength(3);
    const failed = page.getByRole('article').filter({ hasText: 'MODEL_CALL_FAILED' });
    await failed
      .getByText("Model 'test-model': the provider answered 400: provider text canary 400")
      .waitFor();
    const others = page.getByRole('article', { name: /^Answer/ }).filter({ hasText: 'please' });
    // Each difference is `it,`, a space and `please.`.
    expect(await others.locator('ins').count()).toBe(6);
    const name = (await others.first().getAttribute('aria-label')) ?? '';
    await page.getByLabel('Highlight changes from').selectOption(name.replace('Answer ', ''));
    expect(await others.locator('ins').count()).toBe(0);
    expect(await others.last().getByText('No changes').count()).toBe(1);
    expect(await card(page, 'Recorded').locator('ins').count()).toBe(1);
  });

  test('the tool calls of the model are shown', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'Add tool' }).click();
    await page.getByLabel('Name of tool 1').fill('search');
    provider.script = () => ({ q: '<img src=x onerror="window.harmed = 1">' });
    await send(page);
    const calls = page.getByRole('list', { name: 'Tool calls' });
    await calls.getByText('search', { exact: true }).waitFor();
    await calls.getByText('window.harmed').waitFor();
    await card(page, 'Answer 1').getByText('tool_calls').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  });

  test('a prompt file is edited with the variables of the run, and its rendered text is sent', async () => {
    const page = await opened();
    await template(page).fill('You help with {{ category.name | upper }}. Be kind.');
    await page.getByText('Preview').click();
    await page.getByText('You help with SUPPORT. Be kind.').waitFor();
    await send(page);
    await card(page, 'Answer 1').waitFor();
    expect(provider.requests[0]?.messages[0]).toEqual({
      ...{ role: 'system', content: 'You help with SUPPORT. Be kind.' },
    });
    await page.getByText('Variables of the run').click();
    await page.getByLabel('category').fill('{"name": "returns"}');
    await page.getByText('You help with RETURNS. Be kind.').waitFor();
    await template(page).fill('{{ category.name');
    await page.locator('.problem', { hasText: 'Unexpected end of input' }).waitFor();
    provider.requests.length = 0;
    await send(page);
    await page.locator('.note', { hasText: 'PROMPT_INVALID' }).waitFor();
    expect(provider.requests).toEqual([]);
  });

  test('the file becomes a draft of the prompt editor, and is only saved there', async () => {
    const page = await opened();
    const save = page.getByRole('button', { name: 'Save as new version' });
    expect(await save.isDisabled()).toBe(true);
    await template(page).fill('Help with {{ category.name }}. Drafted.');
    await page.getByLabel('Times').fill('2');
    await send(page);
    await card(page, 'Answer 2').waitFor();
    await save.click();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    const stored = async () => (await service.fetch(`/api/v1/prompts/view/default/${RESPONDER}`)).text();
    await page.locator('.code-editor').getByText('Drafted.').waitFor();
    expect(await stored()).not.toContain('Drafted.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toBe('Help with {{ category.name }}. Drafted.');
    await page.goBack();
    expect(await template(page).inputValue()).toBe('Help with {{ category.name }}. Drafted.');
    await card(page, 'Answer 1').waitFor();
    await send(page);
    await card(page, 'Answer 3').waitFor();
  });

  test('a draft of an earlier version is merged with the newest one', async () => {
    const response = await service.fetch(`/api/v1/prompts/update/default/${RESPONDER}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ content: 'Theirs {{ category.name }}.' }),
    });
    expect(response.status).toBe(200);
    const page = await opened();
    expect(await template(page).inputValue()).not.toContain('Theirs');
    await template(page).fill('Mine {{ category.name }}.');
    await page.getByRole('button', { name: 'Save as new version' }).click();
    await page.getByText('Someone else has saved a newer version of this file.').waitFor();
  });

  test('the rendered text can be edited, and is never offered as a version of the template', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'Edit rendered text' }).click();
    const text = page.getByLabel('Text of message 1');
    expect(await text.inputValue()).toContain('support');
    expect(await text.inputValue()).not.toContain('{{');
    await text.fill('Only this.');
    expect(await page.getByRole('button', { name: 'Save as new version' }).count()).toBe(0);
    await send(page);
    await card(page, 'Answer 1').waitFor();
    expect(provider.requests[0]?.messages[0]?.content).toBe('Only this.');
    await page.getByRole('button', { name: 'Edit prompt file' }).click();
    expect(await template(page).inputValue()).toContain('{{ category.name }}');
  });

  test('can be cancelled, also at the provider', async () => {
    const page = await opened();
    const held = heldAnswer();
    provider.script = () => held.reply;
    await send(page);
    await held.called;
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('progressbar', { name: 'Model calls' }).waitFor({ state: 'detached' });
    while (provider.aborted === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(provider.aborted).toBe(1);
  });

  test('works with the keyboard only', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'Add message' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Text of message 3').focus();
    await page.keyboard.type('Third');
    await page.getByRole('button', { name: 'Move message 3 up' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Text of message 2').inputValue()).toBe('Third');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(await focused()).toBe('Move message 2 up');
    await page.getByRole('button', { name: 'Remove message 2' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add message');
    await page.getByLabel('Text of message 2').focus();
    await page.keyboard.press('ControlOrMeta+Enter');
    await card(page, 'Answer 1').waitFor();
  });

  test('a call whose content was deleted or never stored says so', async () => {
    const page = await studio.open(`${service.url}/studio/playground?run=${run}&call=99`);
    await page.getByRole('heading', { name: 'Call no longer available' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.goto(`${service.url}/studio/playground`);
    await page.getByRole('heading', { name: 'Select a model call' }).waitFor();
    await page.goto(`${service.url}/studio/playground?run=unknown&call=0`);
    await page.getByText('RUN_NOT_FOUND').waitFor();
  });

  test.each([
    { width: 1440, scheme: 'light' as const },
    { width: 1024, scheme: 'dark' as const },
    { width: 390, height: 800, scheme: 'dark' as const },
  ])('axe finds nothing, and nothing is wider than the screen: $width pixels, $scheme', async (look) => {
    const page = await opened(look);
    provider.script = (_, index) => (index === 1 ? failure(400) : 'Send a video of it.');
    await page.getByRole('button', { name: 'Add tool' }).click();
    await page.getByLabel('Name of tool 1').fill('search');
    await page.getByLabel('JSON Schema of tool 1').fill('{');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove tool 1' }).click();
    await page.getByLabel('Times').fill('2');
    await send(page);
    await page.getByText('2 answers, 1 failed').waitFor({ state: 'attached' });
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });
});

studioTests('the call playground of an operator', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, protectedConfig('operators: ["user:ann"]'));

  test("shows another caller's call, but sends nothing", async () => {
    const { run_id } = (await service.chat({ user_prompt: 'What Bob asks' }, BOB)).body;
    const page = await studio.open(`${service.url}/studio/playground?run=${run_id}&call=1&owner=user:bob`);
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText("You're viewing data of user:bob").waitFor();
    await page.getByRole('article', { name: 'Recorded' }).getByText('re: What Bob asks').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  });
});

studioTests('the call playground of a protected service', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, protectedConfig());

  test('forgets its changes at log-out', async () => {
    const { run_id } = (await service.chat({ user_prompt: 'What Bob asks' }, BOB)).body;
    const page = await studio.open(`${service.url}/studio/playground?run=${run_id}&call=1`);
    const logIn = async () => {
      await page.getByLabel('Username').fill('bob');
      await page.getByLabel('Password').fill(OTHER_PASSWORD);
      await page.keyboard.press('Enter');
    };
    const text = page.getByLabel('Text of message 2');
    await logIn();
    await text.fill('My secret');
    await page.getByRole('link', { name: 'Back to run' }).click();
    await page.goBack();
    expect(await text.inputValue()).toBe('My secret');
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn();
    expect(await text.inputValue()).toBe('What Bob asks');
  });
});

/** Answers with text, even if the request has tools. */
function toolless(text: string): Response {
  const choices = [{ index: 0, delta: { content: text }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  const lines = [{ choices }, { choices: [], usage }].map((body) => `data: ${JSON.stringify(body)}\n\n`);
  return new Response(`${lines.join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}
