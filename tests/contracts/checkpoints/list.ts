/** Compares the fields of listed checkpoints with LangGraph's. */
import { expect, test } from 'bun:test';
import { Annotation, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';
import type { OpenedSavers } from './opened-savers.ts';

const State = Annotation.Root({
  log: Annotation<string[], string[]>({ reducer: (log, more) => [...log, ...more], default: () => [] }),
});

/** A graph with two parallel nodes, a join, Sends, a deferred node and an interrupt. */
function graph() {
  const logs = (name: string) => () => ({ log: [name] });
  return new StateGraph(State)
    .addNode('plan', logs('plan'))
    .addNode('left', logs('left'))
    .addNode('right', logs('right'))
    .addNode('slow', logs('slow'))
    .addNode('both', logs('both'))
    .addNode('worker', logs('worker'))
    .addNode('last', logs('last'), { defer: true })
    .addNode('ask', () => ({ log: [String(interrupt('Really?'))] }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'left')
    .addEdge('plan', 'right')
    .addEdge('right', 'slow')
    .addEdge(['left', 'slow'], 'both')
    .addConditionalEdges('both', () => [new Send('worker', {}), new Send('worker', {})], ['worker'])
    .addEdge('worker', 'last')
    .addEdge('last', 'ask')
    .addEdge('ask', END);
}

export function checkpointListContract(open: () => Promise<OpenedSavers>): void {
  test("agents and next are the same as LangGraph's, with joins, sends, deferred nodes and interrupts", async () => {
    const { saver, archive, close } = await open();
    const compiled = graph().compile({ checkpointer: saver });
    const thread = { configurable: { thread_id: '000000000001' } };
    await compiled.invoke({ log: [] }, { ...thread, durability: 'sync' });
    const { items } = await archive.list('000000000001', { limit: 100 });
    const theirs = new Map<string, string[]>();
    for await (const state of compiled.getStateHistory(thread)) {
      theirs.set(String(state.config.configurable?.checkpoint_id), [...new Set(state.next)].sort());
    }
    expect(items.length).toBe(theirs.size);
    for (const { checkpointId, next } of items)
      expect([checkpointId, next]).toEqual([checkpointId, theirs.get(checkpointId) ?? []]);
    expect(items.map(({ agents, next }) => [agents.join(', '), next.join(', ')])).toEqual([
      ['last', 'ask'],
      ['worker', 'last'],
      ['both', 'worker'],
      ['slow', 'both'],
      ['left, right', 'slow'],
      ['plan', 'left, right'],
      ['', 'plan'],
      ['', '__start__'],
    ]);
    expect((await archive.find('000000000001', items[0]?.checkpointId ?? ''))?.next).toEqual(['ask']);
    await close();
  });

  test("next is the same as LangGraph's if a deferred node joins three others", async () => {
    const { saver, archive, close } = await open();
    const compiled = new StateGraph(State)
      .addNode('left', () => ({ log: ['left'] }))
      .addNode('middle', () => ({ log: ['middle'] }))
      .addNode('right', () => ({ log: ['right'] }))
      .addNode('slow', () => ({ log: ['slow'] }))
      .addNode('slower', () => ({ log: ['slower'] }))
      .addNode('both', () => ({ log: ['both'] }), { defer: true })
      .addEdge(START, 'left')
      .addEdge(START, 'middle')
      .addEdge(START, 'right')
      .addEdge('left', 'slow')
      .addEdge('slow', 'slower')
      .addEdge(['left', 'middle', 'right'], 'both')
      .compile({ checkpointer: saver });
    const thread = { configurable: { thread_id: '000000000001' } };
    await compiled.invoke({ log: [] }, { ...thread, durability: 'sync' });
    const { items } = await archive.list('000000000001', { limit: 100 });
    const theirs = await Array.fromAsync(compiled.getStateHistory(thread), ({ next }) => next.toSorted());
    expect(items.map(({ next }) => next)).toEqual(theirs);
    expect(theirs).toEqual([[], ['both'], ['slower'], ['slow'], ['left', 'middle', 'right'], ['__start__']]);
    await close();
  });

  test('pages are complete and sorted newest first', async () => {
    const { saver, archive, close } = await open();
    const compiled = graph().compile({ checkpointer: saver });
    await compiled.invoke({ log: [] }, { configurable: { thread_id: 't' }, durability: 'sync' });
    const all = (await archive.list('t', { limit: 100 })).items;
    const first = await archive.list('t', { limit: 5 });
    expect(first.items).toEqual(all.slice(0, 5));
    const second = await archive.list('t', { limit: 5, after: first.next as [string] });
    expect(second).toEqual({ items: all.slice(5), next: null });
    expect((await archive.list('other', { limit: 5 })).items).toEqual([]);
    expect((await archive.list('t', { limit: 5 }, 'run')).items).toEqual([]);
    const id = all[0]?.checkpointId ?? '';
    expect(await archive.findAny('t', id)).toEqual(all[0]);
    expect(await Promise.all([archive.find('t', 'none'), archive.findAny('other', id)])).toEqual([
      undefined,
      undefined,
    ]);
    await close();
  });
}
