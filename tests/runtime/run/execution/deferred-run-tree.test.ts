/** The config and the run tree that nodes see, compared with LangChain's own behaviour. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { getContextVariable, setContextVariable } from '@langchain/core/context';
import { type RunnableConfig, RunnableLambda } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton as storage } from '@langchain/core/singletons';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import {
  Annotation,
  Command,
  END,
  getConfig,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { deferRunTrees } from '../../../../runtime/run/execution/deferred-run-tree.ts';
import { until } from '../../../server/support/until.ts';

const State = Annotation.Root({
  seen: Annotation<unknown[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const original = { runWithConfig: storage.runWithConfig, getRunnableConfig: storage.getRunnableConfig };

beforeAll(() => deferRunTrees());
afterAll(() => {
  Object.assign(storage, original);
});

/** The result of `run` with LangChain's own storage provider. */
async function withOriginal<T>(run: () => Promise<T>): Promise<T> {
  Object.assign(storage, original);
  try {
    return await run();
  } finally {
    deferRunTrees();
  }
}

/** A graph of two nodes that each record the result of `inspect`. */
function graphOf(inspect: () => Promise<unknown>) {
  const node = async () => ({ seen: [await inspect()] });
  return new StateGraph(State)
    .addNode('one', node)
    .addNode('two', node)
    .addEdge(START, 'one')
    .addEdge('one', 'two')
    .addEdge('two', END)
    .compile();
}

const resultsOf = async (inspect: () => Promise<unknown>, config: RunnableConfig = {}) =>
  (await graphOf(inspect).invoke({ seen: [] }, config)).seen;

test('a nested call finds the config of its node, also after an await', async () => {
  const nested = RunnableLambda.from(async (_: unknown, config: RunnableConfig) => config.configurable?.mine);
  const inspect = async () => {
    await Bun.sleep(1);
    return [getConfig().configurable?.mine, await nested.invoke(null)];
  };
  const runs = [1, 2, 3].map((mine) => resultsOf(inspect, { configurable: { mine } }));
  expect(await Promise.all(runs)).toEqual(
    [1, 2, 3].map((mine) => [
      [mine, mine],
      [mine, mine],
    ]),
  );
});

test('context variables are visible in the nodes', async () => {
  const run = RunnableLambda.from(async () => {
    setContextVariable('colour', 'green');
    return resultsOf(async () => getContextVariable('colour'));
  });
  expect(await run.invoke(null)).toEqual(['green', 'green']);
});

test('looking up a context variable creates no run tree', async () => {
  const run = RunnableLambda.from(async () => {
    setContextVariable('colour', 'green');
    return resultsOf(async () => {
      const entered = spyOn(storage.getInstance(), 'run');
      const found = [getContextVariable('colour'), getContextVariable('shape'), entered.mock.calls.length];
      entered.mockRestore();
      return found;
    });
  });
  const found = ['green', undefined, 0];
  expect(await run.invoke(null)).toEqual([found, found]);
});

test('a context variable that a node sets is visible below it, and so is the config', async () => {
  const nested = RunnableLambda.from(async (_: unknown, config: RunnableConfig) => config.configurable?.mine);
  const inspect = async () => {
    setContextVariable('colour', 'blue');
    return [getContextVariable('colour'), getConfig().configurable?.mine, await nested.invoke(null)];
  };
  const found = ['blue', 7, 7];
  expect(await resultsOf(inspect, { configurable: { mine: 7 } })).toEqual([found, found]);
});

test('a node that has set a context variable can raise an interrupt', async () => {
  const graph = new StateGraph(State)
    .addNode('asks', async () => {
      setContextVariable('colour', 'red');
      return { seen: [interrupt('Which one?')] };
    })
    .addEdge(START, 'asks')
    .addEdge('asks', END)
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 't' } };
  const interrupted = await graph.invoke({ seen: [] }, config);
  expect(interrupted).toMatchObject({ __interrupt__: [{ value: 'Which one?' }] });
  expect((await graph.invoke(new Command({ resume: 'this' }), config)).seen).toEqual(['this']);
});

test('each node has its own LangSmith run tree', async () => {
  const inspect = async () => {
    const tree = storage.getInstance().getStore();
    const child = tree.createChild({ name: 'child' });
    expect([child.trace_id, child.parent_run.id, child.tracingEnabled]).toEqual([tree.id, tree.id, false]);
    expect(tree.dotted_order).toEndWith(tree.id);
    expect(tree.child_runs).toEqual([child]);
    setContextVariable('colour', 'black');
    const after = storage.getInstance().getStore();
    expect([after.id, after.createChild({ name: 'next' }).trace_id]).toEqual([tree.id, tree.id]);
    return tree.id;
  };
  expect(new Set(await resultsOf(inspect)).size).toBe(2);
});

test("an active tracer's run tree takes precedence", async () => {
  const inspect = async () => storage.getInstance().getStore().tracingEnabled;
  expect(await resultsOf(inspect)).toEqual([false, false]);
  // A local server in place of LangSmith's.
  let requests = 0;
  using server = Bun.serve({ port: 0, fetch: () => Response.json({ sent: ++requests }) });
  process.env.LANGSMITH_ENDPOINT = server.url.href;
  try {
    expect(await resultsOf(inspect, { callbacks: [new LangChainTracer()] })).toEqual([true, true]);
    await until(() => requests > 0, 10_000);
  } finally {
    delete process.env.LANGSMITH_ENDPOINT;
  }
});

/** The mutable parts of a run tree, each changed the way a program changes it. */
const CHANGES: Record<string, (tree: Record<string, unknown>) => void> = {
  metadata: (tree) => Object.assign(tree.metadata as object, { user_id: 'ana' }),
  'metadata, replaced': (tree) => Object.assign(tree, { metadata: { user_id: 'ana' } }),
  extra: (tree) => Object.assign(tree.extra as object, { user_id: 'ana' }),
  inputs: (tree) => Object.assign(tree.inputs as object, { user_id: 'ana' }),
  serialized: (tree) => Object.assign(tree.serialized as object, { user_id: 'ana' }),
  caller_options: (tree) => Object.assign(tree.caller_options as object, { user_id: 'ana' }),
  child_runs: (tree) => (tree.child_runs as unknown[]).push('ana'),
  tags: (tree) => Object.assign(tree, { tags: ['ana'] }),
  outputs: (tree) => Object.assign(tree, { outputs: { user_id: 'ana' } }),
  events: (tree) => Object.assign(tree, { events: ['ana'] }),
  'a property of its own': (tree) => Object.assign(tree, { ana: 'ana' }),
  'a property that is deleted': (tree) => delete tree.name,
  'a property that is defined': (tree) =>
    Object.defineProperty(tree, 'ana', { value: 1, enumerable: true, configurable: true }),
};

const MODES: [string, () => RunnableConfig][] = [
  ['without callbacks', () => ({})],
  ['with callbacks of its own', () => ({ callbacks: [BaseCallbackHandler.fromMethods({})] })],
  ['with metadata and tags', () => ({ metadata: { plan: 'free' }, tags: ['shop'] })],
];

describe.each(MODES)('a run tree %s', (_, config) => {
  test('has the properties that LangChain gives it', async () => {
    const inspect = async () => snapshotOf(storage.getInstance().getStore());
    expect(await resultsOf(inspect, config())).toEqual(
      await withOriginal(() => resultsOf(inspect, config())),
    );
  });

  test.each(Object.entries(CHANGES))('hides %s from the next run and the next node', async (_, change) => {
    const fresh = await resultsOf(async () => snapshotOf(storage.getInstance().getStore()), config());
    const changed = async () => {
      change(storage.getInstance().getStore());
      return snapshotOf(storage.getInstance().getStore());
    };
    const seen = await resultsOf(changed, config());
    expect(seen[0]).not.toEqual(fresh[0]);
    expect(seen).toEqual(await withOriginal(() => resultsOf(changed, config())));
    expect(await resultsOf(async () => snapshotOf(storage.getInstance().getStore()), config())).toEqual(
      fresh,
    );
  });
});

test('the config is found before and after a node has read its run tree', async () => {
  const inspect = async () => {
    const before = getConfig().configurable?.mine;
    const tree = storage.getInstance().getStore();
    tree.metadata.seen = true;
    return [before, getConfig().configurable?.mine, tree.metadata.seen];
  };
  const found = [7, 7, true];
  expect(await resultsOf(inspect, { configurable: { mine: 7 } })).toEqual([found, found]);
});

test('nested graphs inherit context variables through run trees that nothing has read', async () => {
  const inner = graphOf(async () => getContextVariable('colour'));
  const middle = graphOf(async () => (await inner.invoke({ seen: [] })).seen);
  const outer = RunnableLambda.from(async () => {
    setContextVariable('colour', 'green');
    return (await middle.invoke({ seen: [] })).seen;
  });
  const green = ['green', 'green'];
  expect(await outer.invoke(null)).toEqual([green, green]);
});

/** A run tree's properties by name; for properties that are unique to each tree, only their types. */
function snapshotOf(tree: Record<string, unknown>): Record<string, unknown> {
  const own = Object.keys(tree)
    .sort()
    .map((key) => [key, UNIQUE.has(key) ? typeof tree[key] : tree[key]]);
  const { metadata } = tree;
  const kind = Object.getPrototypeOf(tree).constructor.name;
  return structuredClone({ ...Object.fromEntries(own), metadata, kind });
}

const UNIQUE = new Set(['id', 'trace_id', 'dotted_order', 'start_time', '_serialized_start_time', 'client']);
