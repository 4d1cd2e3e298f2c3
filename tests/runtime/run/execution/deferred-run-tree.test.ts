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
const stock = { runWithConfig: storage.runWithConfig, getRunnableConfig: storage.getRunnableConfig };

beforeAll(() => deferRunTrees());
afterAll(() => {
  Object.assign(storage, stock);
});

/** The result of `run` with LangChain's own storage provider. */
async function withStock<T>(run: () => Promise<T>): Promise<T> {
  Object.assign(storage, stock);
  try {
    return await run();
  } finally {
    deferRunTrees();
  }
}

/** A graph of two nodes that each record the result of `look`. */
function graphOf(look: () => Promise<unknown>) {
  const node = async () => ({ seen: [await look()] });
  return new StateGraph(State)
    .addNode('one', node)
    .addNode('two', node)
    .addEdge(START, 'one')
    .addEdge('one', 'two')
    .addEdge('two', END)
    .compile();
}

const seenBy = async (look: () => Promise<unknown>, config: RunnableConfig = {}) =>
  (await graphOf(look).invoke({ seen: [] }, config)).seen;

test('a nested call finds the config of its node, also after an await', async () => {
  const below = RunnableLambda.from(async (_: unknown, config: RunnableConfig) => config.configurable?.mine);
  const look = async () => {
    await Bun.sleep(1);
    return [getConfig().configurable?.mine, await below.invoke(null)];
  };
  const runs = [1, 2, 3].map((mine) => seenBy(look, { configurable: { mine } }));
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
    return seenBy(async () => getContextVariable('colour'));
  });
  expect(await run.invoke(null)).toEqual(['green', 'green']);
});

test('looking up a context variable creates no run tree', async () => {
  const run = RunnableLambda.from(async () => {
    setContextVariable('colour', 'green');
    return seenBy(async () => {
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
  const below = RunnableLambda.from(async (_: unknown, config: RunnableConfig) => config.configurable?.mine);
  const look = async () => {
    setContextVariable('colour', 'blue');
    return [getContextVariable('colour'), getConfig().configurable?.mine, await below.invoke(null)];
  };
  const found = ['blue', 7, 7];
  expect(await seenBy(look, { configurable: { mine: 7 } })).toEqual([found, found]);
});

test('a node that has set a context variable can ask a person', async () => {
  const graph = new StateGraph(State)
    .addNode('asks', async () => {
      setContextVariable('colour', 'red');
      return { seen: [interrupt('Which one?')] };
    })
    .addEdge(START, 'asks')
    .addEdge('asks', END)
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 't' } };
  const asked = await graph.invoke({ seen: [] }, config);
  expect(asked).toMatchObject({ __interrupt__: [{ value: 'Which one?' }] });
  expect((await graph.invoke(new Command({ resume: 'this' }), config)).seen).toEqual(['this']);
});

test('each node has its own LangSmith run tree', async () => {
  const look = async () => {
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
  expect(new Set(await seenBy(look)).size).toBe(2);
});

test("an active tracer's run tree takes precedence", async () => {
  const look = async () => storage.getInstance().getStore().tracingEnabled;
  expect(await seenBy(look)).toEqual([false, false]);
  // A local server in place of LangSmith's.
  let sent = 0;
  using server = Bun.serve({ port: 0, fetch: () => Response.json({ sent: ++sent }) });
  process.env.LANGSMITH_ENDPOINT = server.url.href;
  try {
    expect(await seenBy(look, { callbacks: [new LangChainTracer()] })).toEqual([true, true]);
    await until(() => sent > 0, 10_000);
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
    const look = async () => described(storage.getInstance().getStore());
    expect(await seenBy(look, config())).toEqual(await withStock(() => seenBy(look, config())));
  });

  test.each(Object.entries(CHANGES))('hides %s from the next run and the next node', async (_, change) => {
    const fresh = await seenBy(async () => described(storage.getInstance().getStore()), config());
    const changed = async () => {
      change(storage.getInstance().getStore());
      return described(storage.getInstance().getStore());
    };
    const seen = await seenBy(changed, config());
    expect(seen[0]).not.toEqual(fresh[0]);
    expect(seen).toEqual(await withStock(() => seenBy(changed, config())));
    expect(await seenBy(async () => described(storage.getInstance().getStore()), config())).toEqual(fresh);
  });
});

test('the config is found before and after a node has read its run tree', async () => {
  const look = async () => {
    const before = getConfig().configurable?.mine;
    const tree = storage.getInstance().getStore();
    tree.metadata.seen = true;
    return [before, getConfig().configurable?.mine, tree.metadata.seen];
  };
  const found = [7, 7, true];
  expect(await seenBy(look, { configurable: { mine: 7 } })).toEqual([found, found]);
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

/** A run tree's properties by name, with what differs between any two trees left out. */
function described(tree: Record<string, unknown>): Record<string, unknown> {
  const own = Object.keys(tree)
    .sort()
    .map((key) => [key, OF_ITS_OWN.has(key) ? typeof tree[key] : tree[key]]);
  const { metadata } = tree;
  const kind = Object.getPrototypeOf(tree).constructor.name;
  return structuredClone({ ...Object.fromEntries(own), metadata, kind });
}

const OF_ITS_OWN = new Set([
  'id',
  'trace_id',
  'dotted_order',
  'start_time',
  '_serialized_start_time',
  'client',
]);
