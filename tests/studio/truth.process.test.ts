/** A run is drawn as it was recorded: the edges that it took, its iterations, interrupted nodes, and a turn of several runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { SAMPLE_DATABASE, type TestService, testService } from '../support/service.ts';
import { studioTests } from './browser.ts';
import { GRAPHS_OF_OTHERS, IMPORTS } from './graphs-of-others.ts';

/** One edge leads from `a` directly to `c`; the run takes the path over `b`. */
const DETOUR = `${IMPORTS}
const say = (text) => async () => ({ messages: [new AIMessage(text)] });
export default new StateGraph(MessagesAnnotation)
  .addNode('a', say('A')).addNode('b', say('B')).addNode('c', say('C'))
  .addEdge(START, 'a').addConditionalEdges('a', () => 'b', ['b', 'c']).addEdge('b', 'c').addEdge('c', END).compile();`;

/** Its second node ignores a cancellation. */
const DEAF = `${IMPORTS}
export default new StateGraph(MessagesAnnotation)
  .addNode('first', async () => ({ messages: [new AIMessage('First.')] }))
  .addNode('deaf', () => new Promise(() => {}))
  .addEdge(START, 'first').addEdge('first', 'deaf').addEdge('deaf', END).compile();`;

const APPROVAL = `${IMPORTS}
const say = (text) => async () => ({ messages: [new AIMessage(text)] });
export default new StateGraph(MessagesAnnotation)
  .addNode('plan', say('The plan.'))
  .addNode('approve', async () => ({ messages: [new AIMessage('Said: ' + interrupt('Go?'))] }))
  .addNode('act', say('Done.'))
  .addEdge(START, 'plan').addEdge('plan', 'approve').addEdge('approve', 'act').addEdge('act', END).compile();`;

/** Goes back once, over an edge that the drawing doesn't have. */
const UNDECLARED = `${IMPORTS}
import { Command } from '${Bun.resolveSync('@langchain/langgraph', import.meta.dir)}';
const said = (text) => ({ messages: [new AIMessage(text)] });
export default new StateGraph(MessagesAnnotation)
  .addNode('from', async () => said('From.'))
  .addNode('to', async ({ messages }) => (messages.length > 2 ? said('To.') : new Command({ goto: 'from', update: said('Back.') })))
  .addEdge(START, 'from').addEdge('from', 'to').addConditionalEdges('to', () => END, [END]).compile();`;

studioTests('the path of a run', (studio) => {
  let service: TestService;
  beforeAll(async () => {
    const { loop, nested } = GRAPHS_OF_OTHERS;
    const graphs = { loop, nested, detour: DETOUR, deaf: DEAF, approval: APPROVAL, undeclared: UNDECLARED };
    const env = { ...SAMPLE_DATABASE, SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'true' };
    service = await testService({ graphs, env });
  });
  afterAll(() => service.close());

  const open = (path: string) => studio.open(`${service.url}/studio${path}`);
  const ask = async (workflow: string, body = {}) =>
    (await service.chat({ conversation_flow: workflow, user_prompt: 'Go.', ...body })).body;
  const taken = async (page: Page) => {
    await page.locator('.edge[data-taken="true"]').first().waitFor({ state: 'attached' });
    const ids = await page
      .locator('.edge[data-taken="true"]')
      .evaluateAll((edges) => edges.map((edge) => edge.getAttribute('data-edge') ?? ''));
    return ids.sort();
  };
  const node = (page: Page, name: string) => page.locator('.graph-node', { hasText: name });
  const labels = (page: Page) => page.locator('.waterfall-row .label').allTextContents();

  test('an edge that bypasses a node that ran is not drawn as taken', async () => {
    const page = await open(`/runs/${(await ask('detour')).run_id}`);
    expect(await taken(page)).toEqual(['__start__→a', 'a→b', 'b→c', 'c→__end__']);
    expect(await page.locator('.edge[data-edge="a→c"]').getAttribute('data-taken')).toBe('false');
  });

  const OF_CORE = [
    {
      ...{ workflow: 'sql-manipulation-agent', asked: 'Which five stores sold the most bikes in 2024?' },
      steps: ['read_schema', 'write_query', 'check_query', 'run_query', 'answer'],
      shortcut: ['write_query', 'answer'],
    },
    {
      ...{ workflow: 'knowledge-base-agent', asked: 'How long is the warranty on a frame?' },
      steps: ['search', 'answer', 'verify'],
      shortcut: ['search', '__end__'],
    },
  ];
  for (const { workflow, asked, steps, shortcut } of OF_CORE)
    test(`${workflow} only shows the path of its steps as taken, live and later`, async () => {
      const idOf = (step: string) =>
        step.startsWith('__') ? step : `${workflow.replaceAll('-', '_')}:${step}`;
      const way = ['__start__', ...steps, '__end__'].map(idOf);
      const expected = way.slice(1).map((target, index) => `${way[index]}→${target}`);
      const page = await open(`?${new URLSearchParams({ workflow, draft: asked })}`);
      await page.getByRole('button', { name: 'Show graph' }).click();
      await page.getByRole('button', { name: 'Send' }).click();
      const end = page.locator(`.edge[data-edge="${expected.at(-1)}"][data-taken="true"]`);
      await end.waitFor({ state: 'attached' });
      expect(await taken(page)).toEqual(expected.toSorted());
      const [source = '', target = ''] = shortcut.map(idOf);
      const missed = page.locator(`.edge[data-edge="${source}→${target}"]`);
      expect(await missed.getAttribute('data-taken')).toBe('false');
      const { runs } = await (await service.fetch(`/api/v1/runs?workflow=${workflow}`)).json();
      await page.goto(`${service.url}/studio/runs/${runs[0].run_id}`);
      await end.waitFor({ state: 'attached' });
      expect(await taken(page)).toEqual(expected.toSorted());
    });

  test('the back edge of a loop is taken, and each iteration is counted and has its bar', async () => {
    const page = await open(`/runs/${(await ask('loop')).run_id}`);
    expect(await taken(page)).toEqual([
      ...['__start__→draft', 'draft→review', 'review→__end__', 'review→draft'],
    ]);
    await node(page, 'draft').getByText('×3').waitFor();
    expect((await labels(page)).filter((label) => label.includes('#'))).toEqual([
      ...['draft #1', 'review #1', 'draft #2', 'review #2', 'draft #3', 'review #3'],
    ]);
    expect(await page.locator('.edge[data-edge="review→draft"] title').textContent()).toContain('×2');
  });

  test('the edges into and out of expanded subgraphs are taken', async () => {
    const page = await open(`/runs/${(await ask('nested')).run_id}`);
    expect(await taken(page)).toEqual([
      ...['__start__→plan', 'plan→research', 'research→write', 'write→__end__'],
    ]);
    await page.getByRole('button', { name: 'Expand research' }).click();
    await page.getByRole('button', { name: 'Expand check' }).click();
    await node(page, 'style').waitFor();
    expect(await taken(page)).toEqual([
      ...['__start__→plan', 'plan→research:collect', 'research:check:facts→research:check:style'],
      ...['research:check:style→write', 'research:collect→research:check:facts', 'write→__end__'],
    ]);
  });

  test('an edge that is missing in the graph is drawn if a run took it', async () => {
    const page = await open(`/runs/${(await ask('undeclared')).run_id}`);
    expect(await taken(page)).toEqual(['__start__→from', 'from→to', 'to→__end__', 'to→from']);
  });

  test('nodes that a cancellation interrupted are shown as cancelled in the graph and the timeline, and no longer run', async () => {
    const { body } = await service.chat(
      { conversation_flow: 'deaf', user_prompt: 'Go.' },
      { prefer: 'respond-async' },
    );
    const page = await open(`/runs/${body.run_id}`);
    await page.locator('.graph-node[data-status="running"]', { hasText: 'deaf' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.graph-node[data-status="cancelled"]', { hasText: 'deaf' }).waitFor();
    await page.locator('.bar[data-state="cancelled"]').first().waitFor();
    expect(await page.locator('.bar[data-state="running"]').count()).toBe(0);
    expect(await page.locator('.took', { hasText: '…' }).count()).toBe(0);
  });

  test('an approval splits a turn into two runs, and each shows the whole turn with its parts', async () => {
    const first = await ask('approval', { thread_id: 'approved' });
    const answered = await service.fetch('/api/v1/threads/approved/resume', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"value":"yes"}',
    });
    const second = (await answered.json()) as { run_id: string };
    for (const id of [second.run_id, first.run_id]) {
      const page = await open(`/runs/${id}`);
      await page.getByRole('navigation', { name: 'Parts of this turn' }).waitFor();
      for (const name of ['plan', 'approve', 'act'])
        await page.locator('.graph-node[data-status="good"]', { hasText: name }).waitFor();
      expect(await taken(page)).toEqual([
        ...['__start__→plan', 'act→__end__', 'approve→act', 'plan→approve'],
      ]);
      expect((await labels(page)).filter((label) => label !== 'Queued')).toEqual([
        ...['plan', 'approve', 'Waited for you', 'approve', 'act'],
      ]);
    }
  });
});
