/** An assistant's graph in LangGraph's own client: created with its config, and with its subgraphs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { type TestService, testService } from '../../../support/service.ts';

const IMPORTS = `
import { START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod/v4';`;

/** Its node's name and its state come from the config, a field from the context. */
const FACTORY = `${IMPORTS}
export const graph = async ({ configurable = {}, context = {} }) => {
  const { node = 'unnamed', ...rest } = configurable;
  if (node === 'none') throw new Error('no such node');
  const inner = new StateGraph(z.object({ [node]: z.string() })).addNode('deep', () => ({})).addEdge(START, 'deep').compile();
  const fields = Object.keys({ ...rest, ...context }).map((name) => [name, z.string()]);
  return new StateGraph(z.object({ n: z.number(), ...Object.fromEntries(fields) }))
    .addNode(node, inner).addEdge(START, node).compile();
};`;

const NESTED = `${IMPORTS}
const child = new StateGraph(z.object({ n: z.number(), child: z.enum(['one', 'two']) }))
  .addNode('c_one', () => ({ n: 1 })).addEdge(START, 'c_one').compile();
const parent = new StateGraph(z.object({ n: z.number(), parent: z.string() }))
  .addNode('p_two', child).addEdge(START, 'p_two').compile();
export const graph = new StateGraph(z.object({ n: z.number() }))
  .addNode('gp_two', parent).addEdge(START, 'gp_two').compile();`;

const LANGGRAPH = {
  graphs: { made: './made.ts:graph', nested: './nested.ts:graph' },
  env: {
    LANGGRAPH_CONFIG: {
      made: {
        configurable: { node: 'from_env', thread_id: 't', langgraph_auth_user: 'x' },
        context: { c: 1 },
      },
      nestd: {},
      removed_long_ago: {},
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'skein-assistant-graphs-'));
let service: TestService;
beforeAll(async () => {
  symlinkSync(join(import.meta.dir, '../../../../node_modules'), join(folder, 'node_modules'));
  const files = { 'made.ts': FACTORY, 'nested.ts': NESTED, 'langgraph.json': JSON.stringify(LANGGRAPH) };
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  service = await testService({ folder });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const assistants = () => new Client({ apiUrl: service.url, apiKey: null }).assistants;
const nodesOf = async (id: string) => (await assistants().getGraph(id)).nodes.map((node) => node.id);
const fieldsOf = async (id: string) =>
  Object.keys((await assistants().getSchemas(id)).state_schema?.properties ?? {});

test("LANGGRAPH_CONFIG is the config and context of the graph's own assistant", async () => {
  const { config, context } = await assistants().get('made');
  expect(config as object).toEqual({ configurable: LANGGRAPH.env.LANGGRAPH_CONFIG.made.configurable });
  expect(context).toEqual({ c: 1 });
  expect(await assistants().get('nested')).toMatchObject({ config: {}, context: {} });
  expect(service.service.warnings).toContain(
    "LANGGRAPH_CONFIG: 'nestd' is not a graph, did you mean 'nested'?",
  );
  expect(service.service.warnings).toContain(
    "LANGGRAPH_CONFIG: 'removed_long_ago' is not a graph and has no effect",
  );
});

test('a function that makes graphs is called with the config and the context of the assistant', async () => {
  expect(await nodesOf('made')).toEqual(['__start__', 'from_env', '__end__']);
  // Keys that no caller may set are not passed on.
  expect(await fieldsOf('made')).toEqual(['n', 'c']);
  const config = { configurable: { node: 'own', more: 1 } };
  const { assistant_id: id } = await assistants().create({ graphId: 'made', config, context: { d: 1 } });
  expect(await nodesOf(id)).toEqual(['__start__', 'own', '__end__']);
  expect((await assistants().getGraph(id, { xray: true })).nodes.map((node) => node.id)).toContain(
    'own:deep',
  );
  expect(await fieldsOf(id)).toEqual(['n', 'more', 'd']);
  expect(await assistants().getSubgraphs(id)).toMatchObject({
    own: { state_schema: { properties: { own: {} } } },
  });
  await assistants().update(id, { config: { configurable: { node: 'later' } } });
  expect(await nodesOf(id)).toEqual(['__start__', 'later', '__end__']);
  await assistants().update(id, { config: { configurable: { node: 'none' } } });
  // Not with the client, which would retry.
  expect((await service.fetch(`/assistants/${id}/graph`)).status).toBe(500);
});

test('subgraphs are listed under their paths, with schemas under both names', async () => {
  expect(Object.keys(await assistants().getSubgraphs('nested'))).toEqual(['gp_two']);
  const all = await assistants().getSubgraphs('nested', { recurse: true });
  expect(Object.keys(all)).toEqual(['gp_two', 'gp_two|p_two']);
  const child = { properties: { n: { type: 'number' }, child: { type: 'string', enum: ['one', 'two'] } } };
  expect(all as object).toMatchObject({
    gp_two: { state_schema: { properties: { parent: { type: 'string' } } }, context_schema: null },
    'gp_two|p_two': { input_schema: child, output_schema: child, state_schema: child, config_schema: null },
  });
  expect(all['gp_two|p_two'] as object).toMatchObject({
    input: child,
    output: child,
    state: child,
    config: null,
  });
  for (const namespace of ['gp_two', 'gp_two|p_two'])
    expect(Object.keys(await assistants().getSubgraphs('nested', { namespace, recurse: true }))).toEqual([
      namespace,
    ]);
});
