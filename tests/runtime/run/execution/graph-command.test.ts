/** Commands of callers, without names that the graph does not have. */
import { expect, test } from 'bun:test';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { graphCommand } from '../../../../runtime/run/execution/graph-command.ts';

const graph = new StateGraph(Annotation.Root({ n: Annotation<number> }))
  .addNode('a', () => ({}))
  .addEdge(START, 'a')
  .addEdge('a', END)
  .compile();

test('unknown channels and inputs of unknown nodes are dropped, and a command of which nothing is left is null', () => {
  expect(
    graphCommand({ update: { constructor: 1 }, goto: [{ node: 'toString', input: {} }] }, graph),
  ).toBeNull();
  const command = graphCommand(
    { resume: 'yes', update: [['n', 1]], goto: ['a', { node: 'a', input: 2 }, { node: 'b', input: 3 }] },
    graph,
  );
  expect(command).toMatchObject({ resume: 'yes', update: [['n', 1]], goto: ['a', new Send('a', 2)] });
  expect(graphCommand({}, graph)).not.toBeNull();
});
