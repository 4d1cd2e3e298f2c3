/** A run continues only if its workflow still has the next node. */
import { expect, test } from 'bun:test';
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { assertCanContinue } from '../../../../runtime/run/execution/assert-can-continue.ts';
import type { RunnableWorkflow } from '../../../../runtime/workflows/registered.ts';

const graph = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
  .addNode('count', () => ({ n: 1 }))
  .addEdge(START, 'count')
  .compile();
const workflow = { name: 'counter', graph } as unknown as RunnableWorkflow;

const stoppedBefore = (node: string) => ({
  config: {},
  checkpoint: { ...emptyCheckpoint(), channel_values: { n: 1, [`branch:to:${node}`]: null } },
});

test('a run continues with a node that exists', () => {
  expect(() => assertCanContinue(stoppedBefore('count'), workflow)).not.toThrow();
});

test('the error names the node that no longer exists', () => {
  expect(() => assertCanContinue(stoppedBefore('sum'), workflow)).toThrow(
    expect.objectContaining({
      code: 'WORKFLOW_CHANGED',
      detail: "'counter' no longer has the agent 'sum'",
    }),
  );
});
