/** What nodes find of their config in calls further down, without LangSmith's run trees and with them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
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
import { lightenConfig } from '../../runtime/light-config.ts';
import { until } from '../server/until.ts';

const State = Annotation.Root({
  seen: Annotation<unknown[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const before = storage.runWithConfig;

beforeAll(() => lightenConfig());
afterAll(() => {
  storage.runWithConfig = before;
});

/** A graph of two nodes that each note what `look` finds. */
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

test('a call further down finds the config of its node, over an await too', async () => {
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

test('context variables go down to the nodes', async () => {
  const run = RunnableLambda.from(async () => {
    setContextVariable('colour', 'green');
    return seenBy(async () => getContextVariable('colour'));
  });
  expect(await run.invoke(null)).toEqual(['green', 'green']);
});

test('a context variable that a node sets is there below it, and so is the config', async () => {
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

test("what looks for LangSmith's run tree finds one, of each node's own", async () => {
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

test('the tree of a tracer that listens is the one that is found', async () => {
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

test('where the environment asks for tracing, LangChain is left as it is', () => {
  storage.runWithConfig = before;
  process.env.LANGSMITH_TRACING = 'true';
  try {
    lightenConfig();
    expect(storage.runWithConfig).toBe(before);
  } finally {
    delete process.env.LANGSMITH_TRACING;
    lightenConfig();
  }
  expect(storage.runWithConfig).not.toBe(before);
});
