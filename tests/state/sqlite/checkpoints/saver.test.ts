/** The saver on SQLite. */
import { expect, test } from 'bun:test';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { saverContract } from '../../../contracts/checkpoints/saver.ts';
import { openSaver } from './open-saver.ts';

saverContract(openSaver);

test('one transaction per superstep after the first agent, for any number of writes', async () => {
  const { writer, commit, close } = await openSaver();
  const saver = await writer('1');
  const State = Annotation.Root({ word: Annotation<string> });
  const graph = new StateGraph(State)
    .addNode('a', () => ({ word: 'a' }))
    .addNode('b', () => ({ word: 'b' }))
    .addNode('c', () => ({ word: 'c' }))
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .addEdge('c', END)
    .compile({ checkpointer: saver });
  await graph.invoke({ word: '' }, { configurable: { thread_id: '1' }, durability: 'sync' });
  commit.flush();
  expect(commit.commits()).toBe(3);
  await close();
});
