/** Runs: their list, their waterfall, their events, and following one after a reload. */
import { expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { IMPORTS } from './graphs-of-others.ts';
import { heldAnswer } from './held-answer.ts';

/** An agent that reports its progress a thousand times. */
const TALKER = `
export default workflow({
  description: 'Says a lot.',
  agents: () => [{ name: 'talker', description: 'Talks' }],
  example: 'Talk.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('talker', agent('talker', async (state, { status }) => {
        for (let number = 1; number <= 2000; number++) status('line ' + number);
        return { content: 'All is said.' };
      }))
      .addEdge(START, 'talker').addEdge('talker', END),
});`;

/** Its input has no text for a title. */
const TRIP = `${IMPORTS}
const State = z.object({ city: z.string(), tone: z.string(), days: z.number() });
export default new StateGraph(State)
  .addNode('plan', async () => ({})).addEdge(START, 'plan').addEdge('plan', END).compile();`;

studioTests('runs', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', { talker: TALKER, trip: TRIP });

  test('the list can be filtered, and opens a run with its agents and model calls in a timeline', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'Look at me' });
    const page = await studio.open(`${service.url}/studio/runs`);
    await page.getByLabel('Status', { exact: true }).selectOption('failed');
    await page.getByText('No matching runs').waitFor();
    expect(page.url()).toContain('status=failed');
    await page.getByLabel('Status', { exact: true }).selectOption('succeeded');
    await page.getByRole('link', { name: 'Look at me' }).click();
    const rows = page.getByRole('list', { name: 'Waterfall' }).getByRole('button');
    await rows.filter({ hasText: 'support_responder' }).waitFor();
    await rows.filter({ hasText: 'classification · test-model' }).waitFor();
    expect(await rows.filter({ hasText: 'answer · test-model' }).textContent()).toContain('30 tok');
    await rows.filter({ hasText: 'classification_agent' }).click();
    await page.getByRole('region', { name: 'Node classification_agent' }).waitFor();
  });

  test('filters are in the address, can be removed one by one or together, and an empty list names them', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'Narrow me down' });
    const page = await studio.open(`${service.url}/studio/runs?min_tokens=1`);
    const list = page.getByRole('link', { name: 'Narrow me down' });
    await list.waitFor();
    expect(await page.getByLabel('Min. tokens').inputValue()).toBe('1');
    await page.getByLabel('Min. seconds').fill('3600');
    await page.keyboard.press('Enter');
    await page.waitForURL(/min_duration_ms=3600000/);
    await page.getByText('There are matches without this filter:').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Remove “at least 60 min 0 s”' }).click();
    await list.waitFor();
    expect(page.url()).not.toContain('min_duration_ms');
    await page.getByLabel('Prompt file').fill('classification-agent.support_responder.jinja');
    await page.keyboard.press('Tab');
    await page.waitForURL(/prompt=classification-agent/);
    await page.getByLabel('File version').fill('7');
    await page.keyboard.press('Enter');
    await page.getByText('No matching runs').waitFor();
    await page.getByRole('button', { name: 'Remove filter: version 7' }).click();
    await page.getByRole('status').getByText('Filter removed: version 7. 2 left.').waitFor();
    await list.waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    const precise = `${service.url}/studio/runs?from=2020-01-01T08:00:15Z&min_duration_ms=0`;
    await page.goto(precise);
    await list.waitFor();
    await page.getByLabel('From', { exact: true }).focus();
    await page.getByLabel('Error code').focus();
    expect(page.url()).toBe(precise);
    await page.goto(`${service.url}/studio/runs?min_tokens=many&min_duration_ms=long&from=once&min_cost=%00`);
    await page.getByRole('alert').getByText('INVALID_REQUEST').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await list.waitFor();
  });

  test('an active run continues after a reload, with each event once', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const accepted = await service.chat({ user_prompt: 'Slowly' }, { prefer: 'respond-async' });
    await held.called;
    const page = await studio.open(`${service.url}/studio/runs/${accepted.body.run_id}`);
    const numbers = async () => (await page.locator('.event > :first-child').allTextContents()).map(Number);
    await page.getByRole('tab', { name: 'Events' }).click();
    held.say('first ');
    await page.getByText('support_responder: first').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('support_responder: first').waitFor();
    held.say('second');
    held.end();
    await page.locator('.event', { hasText: /^\d+\s*end/ }).waitFor();
    const seen = await numbers();
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    await page.getByText('succeeded').first().waitFor();
  });

  test('a run can be cancelled from its page', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const accepted = await service.chat({ user_prompt: 'Never mind' }, { prefer: 'respond-async' });
    await held.called;
    const page = await studio.open(`${service.url}/studio/runs/${accepted.body.run_id}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('RUN_CANCELLED').waitFor();
  });

  test('only the visible ones of 2,000 events are drawn, and the last can be reached', async () => {
    const { body } = await service.chat({ user_prompt: 'Talk', conversation_flow: 'talker' });
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    await page.getByRole('tab', { name: 'Events' }).click();
    const log = page.getByRole('group', { name: /^2\d\d\d events$/ });
    await log.getByText('talker: line 2000').waitFor();
    expect(await log.locator('.event').count()).toBeLessThan(100);
    await log.evaluate((element) => element.scrollTo({ top: 0 }));
    await log.getByText('talker: line 1', { exact: true }).waitFor();
    await log.getByText('talker: line 1', { exact: true }).click();
    await page.getByText('"line 1"', { exact: true }).waitFor();
  });

  test('a run that does not exist says so', async () => {
    const page = await studio.open(`${service.url}/studio/runs/none`);
    await page.getByRole('alert').getByText('RUN_NOT_FOUND').waitFor();
  });

  test('a run with JSON as its input has its fields as the title, in every list and heading', async () => {
    const input = { city: 'Oslo', tone: 'warm', days: 3 };
    const { body } = await service.chat({ conversation_flow: 'trip', thread_id: 'trip', input });
    const title = 'city: Oslo, tone: warm, days: 3';
    const page = await studio.open(`${service.url}/studio/threads/trip`);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await page.locator('.thread').getByText(title).waitFor();
    await page.goto(`${service.url}/studio/runs`);
    await page.getByRole('link', { name: title, exact: true }).click();
    await page.waitForURL(`**/runs/${body.run_id}`);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    expect(await page.getByText('{"city"').count()).toBe(0);
  });

  test('at 1280 pixels, the toolbars of a run and a conversation stay in one line beside a long title', async () => {
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    const request = { user_prompt: 'A long question '.repeat(20), thread_id: 'long-title' };
    const { body } = await service.chat(request, { prefer: 'respond-async' });
    await held.called;
    const page = await studio.open('about:blank', { width: 1280, height: 720 });
    for (const [path, head] of [
      [`/runs/${body.run_id}`, '.run-head'],
      [`/threads/long-title?run=${body.run_id}`, '.conversation-head'],
    ] as const) {
      await page.goto(`${service.url}/studio${path}`);
      await page.locator(`${head} .button:visible`).first().waitFor();
      await page.locator('.graph-node').first().waitFor();
      const { title, isOneLine, cut } = await page.locator(head).evaluate((element) => {
        const all = [...element.children].map((one) => one.getBoundingClientRect());
        const boxes = all.filter(({ width }) => width > 0);
        const own = element.getBoundingClientRect();
        return {
          title: element.querySelector('h1')?.clientWidth ?? 0,
          isOneLine:
            Math.max(...boxes.map(({ top }) => top)) < Math.min(...boxes.map(({ bottom }) => bottom)),
          cut: boxes.some(({ right, bottom }) => right > own.right || bottom > own.bottom),
        };
      });
      expect({ head, isOneLine, cut, hasTitle: title > 240 }).toEqual({
        ...{ head, isOneLine: true, cut: false, hasTitle: true },
      });
    }
    held.end();
  });
});
