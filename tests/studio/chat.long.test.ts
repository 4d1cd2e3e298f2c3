/** Conversations in the studio, operated like a user. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { callOf, echoing, failure } from '../server/support/calls.ts';
import { runningProvider } from '../server/support/running.ts';
import { CLASSIFIED, isStructured } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { studioTests } from './browser.ts';
import { heldAnswer } from './held-answer.ts';

/** An agent that cites passages. */
const CITING = `
export default workflow({
  description: 'Cites.',
  agents: () => [{ name: 'citing', description: 'Cites' }],
  example: 'Cite.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('citing', agent('citing', async () => ({
        content: 'Chains wear out [1], and so do pads [7].',
        data: { question: 'q', found: true, citations: [
          { n: 1, document: 'care.pdf', heading: 'Chain', page: 3, start: 0, end: 9, score: 0.8, quote: 'A chain lasts 3,000 km.' },
          { n: 2, document: 'wear.md', heading: 'Wear', page: null, start: 0, end: 9, score: 0.7, quote: 'It **wears**:\\n\\n| Part | Life |\\n| --- | --- |\\n| chain | 3,000 km |' },
        ] },
      })))
      .addEdge(START, 'citing').addEdge('citing', END),
});`;

/** Asks two questions, and repeats the answers. */
const ASKING = `
export default workflow({
  description: 'Asks.',
  agents: () => [{ name: 'asking', description: 'Asks' }],
  example: 'Ask.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('asking', agent('asking', async () => {
        const may = interrupt({ question: 'May I write?', to: 'Ana' });
        const who = interrupt('Who signs?');
        return { content: 'Answered ' + JSON.stringify([may, who]) };
      }))
      .addEdge(START, 'asking').addEdge('asking', END),
});`;

const SALES = 'SELECT category, count(*) AS products FROM products GROUP BY category ORDER BY category';

studioTests('conversations', (studio) => {
  const provider = runningProvider();
  let service: TestService;
  beforeAll(async () => {
    const env = { ...providerEnv(provider.url), SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' };
    const config =
      'workflows: {sql-manipulation-agent: {require_approval: true}, citing: {followup_questions: true}}';
    service = await testService({ env, config, graphs: { citing: CITING, asking: ASKING } });
  });
  afterAll(() => service.close());

  const open = (path = '') => studio.open(`${service.url}/studio${path}`);

  async function send(page: Page, text: string, workflow = 'classification-agent') {
    await page.getByLabel('Workflow', { exact: true }).selectOption(workflow);
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }
  const nodeWithStatus = (page: Page, name: string, status: string) =>
    page.locator(`.graph-node[data-status="${status}"]`, { hasText: name }).waitFor();
  const answer = (page: Page) => page.getByRole('article', { name: 'Answer' }).last();

  test('an answer streams in, and the new conversation gets its own address', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open();
    await send(page, 'My pedal is broken');
    await held.called;
    held.say('Stop **using** it');
    await answer(page).getByText('Stop using it').waitFor();
    expect(await answer(page).locator('strong', { hasText: 'using' }).count()).toBe(1);
    await page.getByText('support_responder').first().waitFor();
    // Returning from another page shows the same running turn.
    const looked = page.waitForResponse((response) => response.url().includes('/messages'));
    await page.evaluate(() => ['focus', 'focus'].map((name) => dispatchEvent(new Event(name))));
    await looked;
    held.say(' and send a photo.');
    await answer(page).getByText('and send a photo.').waitFor();
    held.end();
    await page.getByRole('button', { name: 'Good answer' }).waitFor();
    expect(await page.getByRole('article', { name: 'Question' }).count()).toBe(1);
    expect(await page.getByRole('article', { name: 'Answer' }).count()).toBe(1);
    expect(page.url()).toMatch(/\/studio\/threads\/[\w-]+/);
    await page
      .getByRole('complementary', { name: 'Conversations' })
      .getByText('My pedal is broken')
      .waitFor();
  });

  test('a reload during an answer continues the stream without repeating text', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open();
    await send(page, 'Tell me more');
    await held.called;
    held.say('one two ');
    await answer(page).getByText('one two').waitFor();
    await page.reload();
    await answer(page).getByText('one two').waitFor();
    held.say('three');
    await answer(page).getByText('one two three').waitFor();
    held.end();
    await page.getByRole('button', { name: 'Good answer' }).waitFor();
    expect(await page.getByText('one two three').count()).toBe(2);
    expect(await page.getByRole('article', { name: 'Question' }).count()).toBe(1);
    expect(provider.requests.filter((request) => callOf(request) === 'answer').length).toBe(1);
  });

  test('a run can be cancelled, and the text so far is kept', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open();
    await send(page, 'A long story');
    await held.called;
    held.say('Once upon a time');
    await answer(page).getByText('Once upon').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await answer(page).getByText('Cancelled', { exact: true }).waitFor();
    await answer(page).getByText('Once upon').waitFor();
  });

  test('a turn that is cancelled before its first token stays visible', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const page = await open();
    await send(page, 'Never mind');
    await held.called;
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('article', { name: 'Failed turn' }).getByText('RUN_CANCELLED').waitFor();
    expect(await page.getByRole('article', { name: 'Question' }).textContent()).toBe('Never mind');
  });

  test('a failed turn shows its error and request ID, also after a reload, and can be retried', async () => {
    provider.script = echoing({ answer: () => failure(400) });
    const page = await open();
    await send(page, 'Will it work?');
    const failed = page.getByRole('article', { name: 'Failed turn' });
    await failed.getByText('MODEL_CALL_FAILED').waitFor();
    const thread = page.url().split('/').at(-1)?.split('?')[0] ?? '';
    const { runs } = await (await service.fetch(`/api/v1/threads/${thread}/runs`)).json();
    await failed.getByText(runs[0].error.request_id).waitFor();
    await page.reload();
    await failed.getByText(runs[0].error.request_id).waitFor();
    provider.script = echoing();
    await failed.getByRole('button', { name: 'Retry' }).click();
    await answer(page).getByText('re: Will it work?').waitFor();
  });

  test('threads are found by their text, state and ID', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'Zebra stripes', thread_id: 'zoo-1' });
    await service.chat({ user_prompt: 'Another matter', thread_id: 'other-1' });
    const page = await open('/threads/zoo-1');
    await answer(page).getByText('re: Zebra stripes').waitFor();
    const list = page.getByRole('complementary', { name: 'Conversations' });
    await list.getByText('Another matter').waitFor();
    await list.getByLabel('Search conversations').fill('zebra');
    await list.getByText('Another matter').waitFor({ state: 'detached' });
    await list.getByText('Zebra stripes').waitFor();
    await list.getByLabel('Status').selectOption('interrupted');
    await list.getByText('No conversations found').waitFor();
    await list.getByLabel('Status').selectOption('');
    await list.getByText('Zebra stripes').click();
    await page.goto(`${service.url}/studio/threads/not-yet`);
    await page.getByText('Your first message creates it').waitFor();
    await send(page, 'Begun by its address');
    await answer(page).getByText('re: Begun by its address').waitFor();
    expect((await service.fetch('/api/v1/threads/not-yet')).status).toBe(200);
  });

  test('an answer can be rated, and the rating can be removed', async () => {
    provider.script = echoing();
    const { body } = await service.chat({ user_prompt: 'Rate me', thread_id: 'rated' });
    const stored = async () =>
      (await (await service.fetch(`/api/v1/messages/${body.message_id}/feedback`)).json()).positive_feedback;
    const page = await open('/threads/rated');
    const [good, bad] = [
      page.getByRole('button', { name: 'Good answer' }),
      page.getByRole('button', { name: 'Bad answer' }),
    ];
    const kept = () =>
      page.waitForResponse((response) => response.url().endsWith('/feedback') && response.ok());
    await Promise.all([kept(), bad.click()]);
    expect(await stored()).toBe(false);
    await Promise.all([kept(), good.click()]);
    expect(await stored()).toBe(true);
    await page.reload();
    expect(await good.getAttribute('aria-pressed')).toBe('true');
    await Promise.all([kept(), good.click()]);
    expect(await stored()).toBe(null);
  });

  const writing = (sql: string) => {
    provider.script = (request) =>
      isStructured(request)
        ? callOf(request) === 'classification'
          ? CLASSIFIED
          : { sql, explanation: 'Counts them.', tables: ['products'] }
        : 'In words.';
  };

  test('an approved query runs unchanged, and its rows are shown as a table and a chart', async () => {
    writing(SALES);
    const page = await open();
    await send(page, 'How many products are there?', 'sql-manipulation-agent');
    const question = page.getByRole('region', { name: 'Waiting for your answer' });
    await question.getByText('Counts them.').waitFor();
    expect(await question.getByLabel('Query').inputValue()).toBe(SALES);
    await question.getByRole('button', { name: 'Approve' }).click();
    const result = answer(page);
    await result.getByRole('columnheader', { name: /products/ }).waitFor();
    expect(await result.getByRole('row').count()).toBeGreaterThan(2);
    await result.getByRole('tab', { name: 'SQL' }).click();
    await result.locator('pre', { hasText: 'GROUP BY' }).waitFor();
    await result.getByRole('tab', { name: 'Chart' }).click();
    await result.locator('.chart svg path[aria-roledescription="bar"]').first().waitFor();
  });

  test('a query can be edited before it runs', async () => {
    writing(SALES);
    const page = await open();
    await send(page, 'How many?', 'sql-manipulation-agent');
    const question = page.getByRole('region', { name: 'Waiting for your answer' });
    await question.getByLabel('Query').fill('SELECT 42 AS answer FROM products LIMIT 1');
    await question.getByRole('button', { name: 'Run edited query' }).click();
    await answer(page).getByRole('cell', { name: '42' }).waitFor();
  });

  test('a query can be rejected, and a question can be answered with any JSON', async () => {
    writing(SALES);
    const page = await open();
    await send(page, 'How many?', 'sql-manipulation-agent');
    const question = page.getByRole('region', { name: 'Waiting for your answer' });
    await question.getByRole('button', { name: 'Reject' }).click();
    await answer(page).getByText('was not approved').waitFor();
    await send(page, 'And now?', 'sql-manipulation-agent');
    await question.getByRole('button', { name: 'Answer with JSON' }).click();
    await question.getByLabel('JSON value').fill('{"approved": ');
    await question.getByRole('button', { name: 'Send' }).click();
    await question.getByRole('alert').waitFor();
    await question.getByLabel('JSON value').fill('{"approved": true}');
    await question.getByRole('button', { name: 'Send' }).click();
    await answer(page)
      .getByRole('columnheader', { name: /products/ })
      .waitFor();
  });

  test('other questions are answered with a button or as text, also after a reload', async () => {
    await service.chat({ user_prompt: 'Ask me', thread_id: 'asked', conversation_flow: 'asking' });
    const page = await open('/threads/asked');
    const question = page.getByRole('region', { name: 'Waiting for your answer' });
    await question.getByText('May I write?').waitFor();
    await question.getByText('"Ana"').waitFor();
    await nodeWithStatus(page, 'asking', 'waiting');
    await question.getByRole('button', { name: 'Approve' }).click();
    await question.getByText('Who signs?').waitFor();
    await page.reload();
    await page.getByRole('article', { name: 'Question' }).getByText('Ask me').waitFor();
    await question.getByLabel('Your answer').fill('Bo');
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    await answer(page).getByText('Answered [true,"Bo"]').waitFor();
    await page.getByRole('button', { name: 'Good answer' }).waitFor();
    expect(await page.getByRole('article', { name: 'Question' }).count()).toBe(1);
  });

  test('an empty conversation offers a sample question for each workflow, and a click fills it in', async () => {
    const page = await open();
    await page.getByLabel('Workflow', { exact: true }).selectOption('asking');
    const message = page.getByLabel('Message', { exact: true });
    await page.getByRole('link', { name: 'Cite.' }).click();
    await page.waitForURL(/draft=/);
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Cite.');
    expect(await page.getByLabel('Workflow', { exact: true }).inputValue()).toBe('citing');
    await message.press('Enter');
    await answer(page).getByText('Chains wear out').waitFor();
    expect(await page.locator('.examples').count()).toBe(0);
  });

  test('a citation number in an answer opens the cited passage', async () => {
    await service.chat({ user_prompt: 'Cite', thread_id: 'cited', conversation_flow: 'citing' });
    const page = await open('/threads/cited');
    expect(await answer(page).textContent()).toContain('so do pads [7]');
    await answer(page).getByRole('button', { name: 'Source 1: care.pdf' }).click();
    const dialog = page.getByRole('dialog', { name: 'care.pdf' });
    await dialog.getByText('A chain lasts 3,000 km.').waitFor();
    await dialog.getByText('Chain · page 3 · score 0.800').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const sources = answer(page).getByRole('list', { name: 'Sources' }).getByRole('button');
    await sources.first().click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await sources.nth(1).click();
    const quote = page.getByRole('dialog', { name: 'wear.md' }).locator('.quote');
    await quote.getByRole('cell', { name: 'chain' }).waitFor();
    expect(await quote.locator('strong').textContent()).toBe('wears');
  });

  test('follow-up questions are suggested, and a click sends one', async () => {
    provider.script = echoing({ followup_questions: { questions: ['Which chain?', 'Which pads?'] } });
    const page = await open();
    await send(page, 'Cite it.', 'citing');
    const suggested = page.getByRole('list', { name: 'Suggested questions' });
    await suggested.waitFor();
    expect(await suggested.getByRole('button').allTextContents()).toEqual(['Which chain?', 'Which pads?']);
    await suggested.getByRole('button', { name: 'Which pads?' }).click();
    const questions = page.getByRole('article', { name: 'Question' });
    await questions.nth(1).waitFor();
    expect(await questions.allTextContents()).toEqual(['Cite it.', 'Which pads?']);
    await page.getByRole('article', { name: 'Answer' }).nth(1).getByText('View run').waitFor();
    await suggested.getByRole('button').nth(1).waitFor();
    expect(await suggested.getByRole('button').count()).toBe(2);
    await page.reload();
    await page.getByRole('article', { name: 'Answer' }).nth(1).getByText('View run').waitFor();
    expect(await suggested.count()).toBe(0);
  });

  test('a conversation can be renamed and deleted', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'To be renamed', thread_id: 'named' });
    const page = await open('/threads/named');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('A better name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'A better name' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('What should the agents do?').waitFor();
    expect((await service.fetch('/api/v1/threads/named')).status).toBe(404);
  });
});
