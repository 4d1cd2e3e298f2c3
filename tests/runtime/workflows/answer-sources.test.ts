/** Which nodes of a third-party graph produce the end of the answer, according to the graph's drawing. */
import { expect, test } from 'bun:test';
import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { answerSourcesOf } from '../../../runtime/workflows/answer-sources.ts';
import { graphWithSubgraphs } from '../../../runtime/workflows/graph-with-subgraphs.ts';
import type { RunnableWorkflow } from '../../../runtime/workflows/registered.ts';

const State = Annotation.Root({ messages: Annotation<unknown[]>() });
const node = () => ({});
const newGraph = () => new StateGraph(State);

/** Whether the text of the node at a path is certain. */
async function isLast(graph: { compile(): unknown }, ...path: string[]): Promise<boolean> {
  const workflow = { graph: graph.compile(), adopted: {}, agents: [] } as unknown as RunnableWorkflow;
  const sources = await answerSourcesOf(workflow);
  if (sources.kind !== 'last') throw new Error(sources.kind);
  return sources.isLast(path);
}

test('a node that ends the graph is streamed, and one before it is not', async () => {
  const graph = newGraph()
    .addNode('plan', node)
    .addNode('write', node)
    .addEdge(START, 'plan')
    .addEdge('plan', 'write')
    .addEdge('write', END);
  expect([await isLast(graph, 'plan'), await isLast(graph, 'write')]).toEqual([false, true]);
  expect(await isLast(graph, 'write', 'inner')).toBe(true);
});

test('an agent that calls tools is streamed, and a router among agents is not', async () => {
  const agent = newGraph()
    .addNode('agent', node)
    .addNode('act', new ToolNode([]))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', () => END, ['act', END])
    .addEdge('act', 'agent');
  expect(await isLast(agent, 'agent')).toBe(true);
  const router = newGraph()
    .addNode('router', () => new Command({ goto: 'expert' }), { ends: ['expert', END] })
    .addNode('expert', node)
    .addEdge(START, 'router')
    .addEdge('expert', 'router');
  expect([await isLast(router, 'router'), await isLast(router, 'expert')]).toEqual([false, false]);
});

test('a node without edges can lead to any node', async () => {
  const graph = newGraph()
    .addNode('ask', () => new Command({ goto: 'tell' }))
    .addNode('tell', node)
    .addConditionalEdges(START, () => 'ask', ['ask', 'tell'])
    .addEdge('tell', END);
  expect(await isLast(graph, 'ask')).toBe(false);
});

test('nodes of a subgraph are distinguished from those of its parent', async () => {
  const team = newGraph()
    .addNode('research', node)
    .addNode('write', node)
    .addEdge(START, 'research')
    .addEdge('research', 'write')
    .addEdge('write', END);
  const graph = newGraph().addNode('team', team.compile()).addEdge(START, 'team').addEdge('team', END);
  expect([await isLast(graph, 'team', 'research'), await isLast(graph, 'team', 'write')]).toEqual([
    false,
    true,
  ]);
});

test('the text of a graph that cannot be drawn is never certain', async () => {
  const graph = newGraph().addNode('a', node).addEdge(START, 'a').compile();
  graph.getGraphAsync = () => Promise.reject(new Error('it cannot be drawn'));
  expect(await isLast({ compile: () => graph }, 'a')).toBe(false);
});

test('a subgraph that can end immediately has an edge past it, and one without edges is drawn between start and end', async () => {
  const inner = newGraph()
    .addNode('look', node)
    .addNode('tell', node)
    .addConditionalEdges(START, () => END, ['look', END])
    .addEdge('look', 'tell')
    .addEdge('tell', END);
  const graph = newGraph()
    .addNode('before', node)
    .addNode('inner', inner.compile())
    .addNode('after', node)
    .addEdge(START, 'before')
    .addEdge('before', 'inner')
    .addEdge('inner', 'after')
    .addEdge('after', END)
    .compile();
  const { nodes, edges } = await graphWithSubgraphs(graph as never);
  expect(Object.keys(nodes).sort()).toEqual(
    ['__end__', '__start__', 'after', 'before', 'inner:look', 'inner:tell'].sort(),
  );
  expect(edges.map(({ source, target }) => `${source} ${target}`).sort()).toEqual(
    [
      ...['__start__ before', 'before after', 'before inner:look', 'inner:look inner:tell'],
      ...['inner:tell after', 'after __end__'],
    ].sort(),
  );
});
