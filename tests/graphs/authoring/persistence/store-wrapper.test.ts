/** The `config.store` of nodes, for a lent store and for a graph's own. */
import { expect, test } from 'bun:test';
import { Annotation, END, getStore, START, StateGraph } from '@langchain/langgraph';
import {
  type AsyncBatchedStore,
  type BaseStore,
  InMemoryStore,
  MemorySaver,
} from '@langchain/langgraph-checkpoint';
import { withPersistence } from '../../../../graphs/authoring/persistence/lend-persistence.ts';

const State = Annotation.Root({ n: Annotation<number>() });

/** Its current items, by namespace. */
const dataOf = (store: InMemoryStore) =>
  (store as unknown as { data: Map<string, Map<string, unknown>> }).data;

/** Runs `use` with the store in its only node, and records the node's wrapper. */
async function within<T>(use: (store: AsyncBatchedStore) => Promise<T>, lent: BaseStore, own?: BaseStore) {
  const seen: { result: T; wrapper: AsyncBatchedStore; wasRunning: boolean }[] = [];
  const graph = new StateGraph(State)
    .addNode('node', async () => {
      const wrapper = getStore() as AsyncBatchedStore;
      seen.push({ result: await use(wrapper), wrapper, wasRunning: wrapper.isRunning });
      return { n: 1 };
    })
    .addEdge(START, 'node')
    .addEdge('node', END)
    .compile(own ? { store: own } : {});
  const copy = own ? graph : withPersistence(graph, { checkpointer: new MemorySaver(), store: lent });
  await copy.invoke({ n: 0 }, { configurable: { thread_id: 't' } });
  const [first] = seen;
  if (!first) throw new Error('the node did not run');
  return first;
}

test('a lent store is reached directly, with all its methods, and no timer polls', async () => {
  const store = new InMemoryStore();
  const use = async (wrapper: AsyncBatchedStore) => {
    const put = wrapper.put(['a', 'b'], 'k', { n: 1 });
    // The wrapper would delay it until its timer.
    expect(dataOf(store).get('a:b')?.size).toBe(1);
    await put;
    return wrapper.listNamespaces({ prefix: ['*', 'b'] });
  };
  // The timers of the first runs were started before the class was changed.
  const runs = await Promise.all([within(use, store), within(use, store)]);
  for (const { result, wrapper } of runs) {
    expect(result).toEqual([['a', 'b']]);
    expect(wrapper.isRunning).toBe(false);
  }
  expect((await within(use, store)).wasRunning).toBe(false);
});

test('two concurrent runs each have their own store', async () => {
  const stores = [new InMemoryStore(), new InMemoryStore()];
  await Promise.all(stores.map((store, n) => within((wrapper) => wrapper.put(['n'], 'k', { n }), store)));
  for (const [n, store] of stores.entries()) expect((await store.get(['n'], 'k'))?.value).toEqual({ n });
});

test('the store of a foreign graph is wrapped as before', async () => {
  const lent = new InMemoryStore();
  await within(async () => {}, lent);
  const own = new InMemoryStore();
  const { wasRunning } = await within(
    async (wrapper) => {
      const put = wrapper.put(['n'], 'k', { n: 1 });
      expect(dataOf(own).size).toBe(0);
      await put;
      expect(wrapper.listNamespaces()).rejects.toThrow('not implemented');
    },
    lent,
    own,
  );
  expect(wasRunning).toBe(true);
  expect(dataOf(own).size).toBe(1);
  expect(dataOf(lent).size).toBe(0);
});
