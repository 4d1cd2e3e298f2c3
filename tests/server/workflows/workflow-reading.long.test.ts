/** Workflows with a `read` function: rejected prompts, the thread's memory, the prompts of a run, and opened resources. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { conversationOf, echoing } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';

// Databases are processes, which start slowly on a busy machine.
setDefaultTimeout(120_000);

const ORDERS = `
const Order = Type.Object({ items: Type.Array(Type.String()), revision: Type.Optional(Type.String()) });
export default workflow({
  description: 'Counts the items of an order.', example: '{"items": []}',
  agents: () => [{ name: 'counter', description: 'C' }],
  maxPromptLength: 200_000,
  read(prompt) {
    const order = readJson(prompt, Order);
    if (order.items.includes('nothing')) throw new SkeinError('INVALID_WORKFLOW_INPUT', { detail: 'items: nothing is none' });
    return { input: order.items, question: 'An order of ' + order.items.length + ' items', promptRevision: order.revision };
  },
  build: ({ agent, openTables }) => {
    const rows = ({ input }) => [{ name: 'items', columns: [{ name: 'item', type: 'VARCHAR' }], rows: input.map((item) => [item]) }];
    const sqlOf = openTables(rows, { maxRows: 10, querySeconds: 30 });
    return new StateGraph(Conversation)
      .addNode('counter', agent('counter', async (_state, tools) => {
        const sql = sqlOf(tools);
        const { rows } = await sql.query('SELECT count(*) AS n FROM items', tools.signal);
        const { content, update } = await tools.answer(await tools.prompt());
        return { content: content + ' / ' + rows[0].n + ' ' + (sqlOf(tools) === sql), update };
      }))
      .addEdge(START, 'counter').addEdge('counter', END);
  },
});`;

const provider = runningProvider();
const service = runningService(provider, 'workflows: {orders: {prompt_revision: v1}}', { orders: ORDERS });

const revisions = () => join(service.folder, '.files/prompts');
afterEach(() => rmSync(revisions(), { recursive: true, force: true }));

async function putPrompt(revision: string, text: string) {
  mkdirSync(join(revisions(), revision), { recursive: true });
  await Bun.write(join(revisions(), revision, 'orders.counter.jinja'), text);
}

const order = (items: string[], more: object = {}) => JSON.stringify({ items, ...more });
const ask = (user_prompt: string, more: object = {}) =>
  service.chat({ user_prompt, conversation_flow: 'orders', ...more });

test('a rejected prompt is reported before anything is stored or called', async () => {
  const before = await storedIn(service.folder);
  const prose = expectRefused(await ask('Two bikes, please'), 400, 'INVALID_WORKFLOW_INPUT');
  expect(prose.message).toBe('Expecting value: line 1 column 1 (char 0)');
  const padded = expectRefused(await ask('\n {"items": [tru'), 400, 'INVALID_WORKFLOW_INPUT');
  expect(padded.message).toBe('Expecting value: line 2 column 13 (char 13)');
  expect(expectRefused(await ask('{"items": [1]}'), 400, 'INVALID_WORKFLOW_INPUT').detail).toBe(
    'items[0]: expected text',
  );
  const own = expectRefused(await ask(order(['nothing'])), 400, 'INVALID_WORKFLOW_INPUT');
  expect(own.detail).toBe('items: nothing is none');
  expectRefused(await ask(order(['x'.repeat(200_000)])), 400, 'INVALID_REQUEST');
  expect(await storedIn(service.folder)).toEqual(before);
  expect(provider.requests).toEqual([]);
});

test('agents get the parsed prompt, models and the thread get the question, and people see the prompt', async () => {
  await putPrompt('default', 'You count.');
  const prompt = order(['bell', 'x'.repeat(100_000)]);
  const { body } = await ask(prompt, { thread_id: 'two' });
  expect(body.agent_response).toBe('re: An order of 2 items / 2 true');
  await ask(order(['bell']), { thread_id: 'two' });
  expect(provider.requests.map(conversationOf).at(-1)).toEqual([
    ...['An order of 2 items', 're: An order of 2 items', 'An order of 1 items'],
  ]);
  const { messages } = (await (await service.fetch('/api/v1/threads/two/messages')).json()) as {
    messages: { content: string }[];
  };
  expect(messages[0]?.content).toBe(prompt);
});

test("the run uses the revision that its prompt names, otherwise the workflow's", async () => {
  await putPrompt('default', 'DEFAULT');
  await putPrompt('v1', 'CONFIGURED');
  await putPrompt('v2', 'NAMED');
  mkdirSync(join(revisions(), 'empty'));
  const systems: string[] = [];
  for (const revision of ['v2', 'v3', 'empty', '../v2', 'default', '', 'x'.repeat(1_000)]) {
    provider.requests.length = 0;
    await ask(order(['bell'], { revision }));
    systems.push(provider.requests[0]?.messages[0]?.content ?? '');
  }
  expect(systems).toEqual([
    'NAMED',
    ...Array(3).fill('CONFIGURED'),
    'DEFAULT',
    ...Array(2).fill('CONFIGURED'),
  ]);
});

test('a failed run closes its database, too', async () => {
  await putPrompt('default', 'You count.');
  provider.script = echoing({ answer: () => Response.json({}, { status: 400 }) });
  for (let turn = 0; turn < 6; turn++) expect((await ask(order(['bell']))).status).toBe(500);
  provider.script = echoing();
  const turns = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(order(Array(n).fill('x')))));
  expect(turns.map(({ body }) => body.agent_response.split(' / ')[1])).toEqual(
    Array.from({ length: 8 }, (_, n) => `${n} true`),
  );
});
