/** The information about graphs that LangGraph's own client requests before it runs any. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';

const INNER = `
const Part = Annotation.Root({ ...Conversation.spec });
const inner = new StateGraph(Part).addNode('deep', () => ({})).addEdge(START, 'deep').addEdge('deep', END).compile();
export default new StateGraph(Part).addNode('outer', inner).addEdge(START, 'outer').addEdge('outer', END).compile();
export const about = { description: 'Goes deep.' };`;

const service = runningService(runningProvider(), '', { My_Graph: INNER });
const client = () => new Client({ apiUrl: service.url, apiKey: null });

test('each graph is an assistant, under its name and under an ID that is derived from it', async () => {
  const found = await client().assistants.search({ metadata: { created_by: 'system' } });
  expect(found.map(({ graph_id }) => graph_id)).toEqual([
    ...['classification-agent', 'knowledge-base-agent', 'sql-manipulation-agent', 'My_Graph'],
  ]);
  const mine = found.find(({ graph_id }) => graph_id === 'My_Graph');
  expect(mine).toMatchObject({
    ...{ name: 'My_Graph', description: 'Goes deep.', version: 1, config: {}, context: {} },
  });
  expect(mine?.assistant_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/);
  expect(await client().assistants.get('My_Graph')).toEqual(mine as never);
  expect(await client().assistants.get(mine?.assistant_id ?? '')).toEqual(mine as never);
  expect(client().assistants.get('my-graph')).rejects.toThrow('HTTP 404: Assistant not found');
});

test('they can be searched by name and graph, paged, and counted', async () => {
  const { assistants } = client();
  expect(await assistants.count({ name: 'AGENT' } as never)).toBe(3);
  expect(await assistants.search({ graphId: 'My_Graph', select: ['graph_id'] })).toEqual([
    { graph_id: 'My_Graph' },
  ] as never);
  const page = await assistants.search({
    ...{ limit: 2, offset: 1, sortBy: 'name', sortOrder: 'asc' },
    includePagination: true,
  });
  expect(page.assistants.map(({ name }) => name)).toEqual(['knowledge-base-agent', 'My_Graph']);
  expect(page.next).toBe('3');
  const response = await service.fetch('/assistants/search', post({ limit: 1 }));
  expect(response.headers.get('x-pagination-total')).toBe('4');
});

test('the graph is returned as a drawing, with its subgraphs if requested', async () => {
  const { assistants } = client();
  const ids = (drawn: { nodes: { id: string | number }[] }) => drawn.nodes.map(({ id }) => id);
  expect(ids(await assistants.getGraph('My_Graph'))).toEqual(['__start__', 'outer', '__end__']);
  expect(ids(await assistants.getGraph('My_Graph', { xray: true }))).toContain('outer:deep');
  const inside = await assistants.getSubgraphs('My_Graph', { recurse: true });
  expect(Object.keys(inside)).toEqual(['outer']);
  expect(await assistants.getSchemas('My_Graph')).toMatchObject({ graph_id: 'My_Graph' });
});

test('the graph of a core workflow is returned, too', async () => {
  const { nodes } = await client().assistants.getGraph('classification-agent');
  expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['__start__', '__end__']));
});

test('the first requests of a client need no key, and bodies may be sent as text', async () => {
  expect(await (await service.fetch('/ok')).json()).toEqual({ ok: true });
  expect(await (await service.fetch('/info')).json()).toMatchObject({
    context: 'js',
    flags: { assistants: true },
  });
  const asText = { ...post({}), headers: { 'content-type': 'text/plain' } };
  expect((await service.fetch('/assistants/search', asText)).status).toBe(200);
  const foreign = { ...asText, headers: { ...asText.headers, origin: 'https://elsewhere.example' } };
  const refused = await service.fetch('/assistants/search', foreign);
  expect([refused.status, refused.headers.get('content-type'), await refused.text()]).toEqual([
    ...[400, 'text/plain;charset=utf-8', 'content-type: expected application/json'],
  ]);
});

function post(body: object): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
