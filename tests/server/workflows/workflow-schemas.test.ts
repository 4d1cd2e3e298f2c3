/** The schemas of input and context in the list and the status of workflows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestService, testService } from '../../support/service.ts';

const ZOD = Bun.resolveSync('zod', import.meta.dir);
const graph = (schemas: string, about = '') => `
import { z } from '${ZOD}';
${about}
export default new StateGraph(${schemas}).addNode('n', () => ({})).addEdge(START, 'n').compile();`;

const ORDER =
  "z.object({ item: z.string().describe('What'), count: z.number().int().default(1), size: z.number() })";
const graphs = {
  order: graph(
    `{ input: ${ORDER}, state: Annotation.Root({ item: Annotation(), count: Annotation(), size: Annotation(), done: Annotation() }), context: z.object({ shop: z.string(), pays: z.string().default('later') }) }`,
  ),
  channels: graph('Annotation.Root({ left: Annotation(), right: Annotation() })'),
  shown: graph(
    'Annotation.Root({ left: Annotation(), right: Annotation() })',
    `export const about = { example: '{"left": "it\\'s"}' };`,
  ),
  talks: graph('Annotation.Root({ messages: Annotation(), note: Annotation() })'),
  member: graph(
    `{ input: z.object({ messages: z.array(z.any()), user: z.object({ id: z.string() }) }), state: Annotation.Root({ messages: Annotation(), user: Annotation() }) }`,
  ),
  count: graph('{ input: z.object({ count: z.number() }), state: Annotation.Root({ count: Annotation() }) }'),
  long: graph(
    '{ input: z.object({ text: z.string().min(8), size: z.number().default(1) }), state: Annotation.Root({ text: Annotation(), size: Annotation() }) }',
  ),
  broken: 'export default 1;',
};

let service: TestService;
beforeAll(async () => {
  service = await testService({ graphs });
});
afterAll(() => service.close());

async function status(name: string) {
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  return (await (await service.fetch(`/api/v1/workflow-status/${name}`)).json()) as any;
}

const bodyIn = (line: string) => JSON.parse((/ -d '(.*)'$/.exec(line)?.[1] ?? '').replaceAll("'\\''", "'"));

test('a graph has its schemas, with its required fields', async () => {
  const { takes_prompt, input_schema, context_schema } = await status('order');
  expect(takes_prompt).toBe(false);
  expect(input_schema).toMatchObject({
    type: 'object',
    properties: { item: { type: 'string', description: 'What' }, count: { type: 'integer', default: 1 } },
    required: ['item', 'size'],
  });
  const { properties, required } = context_schema;
  expect([Object.keys(properties), required]).toEqual([['shop', 'pays'], ['shop']]);
  const { workflows } = (await (await service.fetch('/api/v1/workflows')).json()) as { workflows: object[] };
  expect(workflows).toContainEqual(expect.objectContaining({ workflow: 'order', input_schema }));
});

test('a graph without a schema has its channels, which can have any value', async () => {
  expect(await status('channels')).toMatchObject({
    takes_prompt: false,
    input_schema: { type: 'object', properties: { left: {}, right: {} } },
    context_schema: null,
  });
});

test('a workflow that takes a prompt is marked, and one created with workflow() has no schemas', async () => {
  expect((await status('talks')).takes_prompt).toBe(true);
  expect(bodyIn((await status('talks')).test_command)).toHaveProperty('user_prompt', 'Hello');
  expect(await status('classification-agent')).toMatchObject({
    takes_prompt: true,
    input_schema: null,
    context_schema: null,
  });
});

test.each([
  ['order', { item: 'Hello', size: 1 }],
  ['channels', { left: 'Hello', right: 'Hello' }],
  ['shown', { left: "it's" }],
])('the curl command of %s, which takes no prompt, has a valid input', async (name, input) => {
  const body = bodyIn((await status(name)).test_command);
  expect(body).toEqual({ input, conversation_flow: name });
  expect((await service.chat(body)).status).toBe(200);
});

test.each([
  ['member', 'input.user: '],
  ['order', 'input.size: '],
  ['count', 'input.count: '],
])('%s does not start with only a prompt, and the error names what is missing', async (name, detail) => {
  expect((await status(name)).takes_prompt).toBe(false);
  expect(await service.chat({ conversation_flow: name, user_prompt: 'hello' })).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_WORKFLOW_INPUT', detail: expect.stringContaining(detail) },
  });
});

test('a prompt that the schema rejects is reported with its path, and a valid one is accepted', async () => {
  expect((await status('long')).takes_prompt).toBe(true);
  const ask = (user_prompt: string) => service.chat({ conversation_flow: 'long', user_prompt });
  expect(await ask('short')).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_WORKFLOW_INPUT', detail: expect.stringContaining('input.text: ') },
  });
  expect((await ask('long enough')).status).toBe(200);
});

test('a workflow that cannot be loaded takes no prompt and has no curl command', async () => {
  expect(await status('broken')).toMatchObject({ takes_prompt: false, test_command: null });
});
