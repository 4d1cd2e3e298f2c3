/** What the saver does beyond LangGraph's own suite, on real graphs. */
import { afterEach, expect, test } from 'bun:test';
import type { RunnableConfig } from '@langchain/core/runnables';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { openSaver } from './open-saver.ts';

let close = () => {};
afterEach(() => close());

const State = Annotation.Root({
  words: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  rows: Annotation<unknown>,
});

type Node = (state: typeof State.State, config?: RunnableConfig) => Promise<Partial<typeof State.State>>;

function opened(nodes: Record<string, Node>) {
  const store = openSaver();
  close = store.close;
  const names = Object.keys(nodes);
  const graph = new StateGraph(State).addNode(nodes);
  [...names, END].forEach((name, index) => {
    graph.addEdge((names[index - 1] ?? START) as 'a', name as 'a');
  });
  return { ...store, graph: graph.compile({ checkpointer: store.saver }) };
}

const say = (word: string) => async () => ({ words: [word] });

test('a turn starts from the head that it is given, not from the newest checkpoint', async () => {
  const { graph, saver, saverOf } = opened({ a: say('a') });
  const turn = async (head: string | null, word: string) => {
    graph.checkpointer = saverOf({
      emit: () => {},
      lease: { runId: word, number: 1 },
      threadKey: '1',
      threadId: 'public',
      head,
    });
    return (await graph.invoke({ words: [word] }, { ...PUBLIC, durability: 'sync' })).words;
  };
  expect(await turn(null, 'one')).toEqual(['one', 'a']);
  const first = (await saver.getTuple({ configurable: { thread_id: '1' } }))?.checkpoint.id ?? '';
  expect(await turn(first, 'two')).toEqual(['one', 'a', 'two', 'a']);
  expect(await turn(first, 'three')).toEqual(['one', 'a', 'three', 'a']);
  expect(await turn(null, 'four')).toEqual(['four', 'a']);
});

const PUBLIC = { configurable: { thread_id: 'public' } };

test('the graph of a run sees the public id of its thread, wherever a config comes from', async () => {
  const seen: unknown[] = [];
  const { graph, saverOf } = opened({
    async a(_: unknown, config?: RunnableConfig) {
      seen.push(config?.configurable?.thread_id, config?.metadata?.thread_id);
      return { words: ['a'] };
    },
  });
  graph.checkpointer = saverOf({
    emit: () => {},
    lease: { runId: 'r', number: 1 },
    threadKey: '1',
    threadId: 'public',
    head: null,
  });
  await graph.invoke({ words: [] }, PUBLIC);
  const state = await graph.getState(PUBLIC);
  const history = await Array.fromAsync(graph.getStateHistory(PUBLIC));
  const parents = history.flatMap(({ parentConfig }) => parentConfig?.configurable?.thread_id ?? []);
  seen.push(state.config.configurable?.thread_id, ...parents);
  expect(state.values.words).toEqual(['a']);
  expect(seen).toEqual(Array(5).fill('public'));
  const { checkpoint_id } = history.at(-1)?.config.configurable ?? {};
  const oldest = await graph.getState({ configurable: { ...PUBLIC.configurable, checkpoint_id } });
  expect(oldest.config.configurable).toMatchObject({ thread_id: 'public', checkpoint_id });
});

test('what looks like a serialised object comes back as the data it was', async () => {
  const forged = {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'AIMessage'],
    kwargs: { content: 'x' },
  };
  const { graph } = opened({ a: async () => ({ rows: [forged] }) });
  const config = { configurable: { thread_id: '1' } };
  await graph.invoke({ words: [] }, config);
  expect((await graph.getState(config)).values.rows).toEqual([forged]);
});

test('what an agent has finished is on disk before the next one starts', async () => {
  const seen: number[] = [];
  const { graph, db } = opened({
    a: say('a'),
    b: async () => {
      const row = db
        .query("SELECT count(*) AS n FROM checkpoint_values WHERE channel = 'words' AND value LIKE '%\"a\"%'")
        .get();
      seen.push((row as { n: number }).n);
      return {};
    },
  });
  await graph.invoke({ words: [] }, { configurable: { thread_id: '1' }, durability: 'sync' });
  expect(seen).toEqual([1]);
});

test('one transaction a superstep after the first agent, however many writes it has', async () => {
  const { graph, commit } = opened({ a: say('a'), b: say('b'), c: say('c') });
  await graph.invoke({ words: [] }, { configurable: { thread_id: '1' }, durability: 'sync' });
  commit.flush();
  expect(commit.commits()).toBe(3);
});

test('an interrupt is kept with its checkpoint, and is answered from there', async () => {
  const { graph } = opened({ a: async () => ({ words: [String(interrupt('which?'))] }), b: say('b') });
  const config = { configurable: { thread_id: '1' }, durability: 'sync' as const };
  await graph.invoke({ words: [] }, config);
  expect((await graph.getState(config)).tasks[0]?.interrupts[0]?.value).toBe('which?');
  expect((await graph.invoke(new Command({ resume: 'this' }), config)).words).toEqual(['this', 'b']);
});

test('a checkpoint costs what it changed, whatever else the state holds', async () => {
  const { graph, db, commit } = opened({ a: async () => ({ rows: 'small' }) });
  const bytes = () =>
    (db.query('SELECT sum(length(value)) AS n FROM checkpoint_values').get() as { n: number }).n;
  const config = { configurable: { thread_id: '1' } };
  await graph.invoke({ words: ['w'.repeat(50_000)] }, config);
  commit.flush();
  const before = bytes();
  await graph.invoke({ rows: 'other' }, config);
  commit.flush();
  expect(bytes() - before).toBeLessThan(500);
});

test('pruning takes the named checkpoints and leaves what the others need', async () => {
  const { graph, saver, db } = opened({ a: say('a') });
  const config = { configurable: { thread_id: '1' } };
  for (const word of ['one', 'two', 'three']) await graph.invoke({ words: [word] }, config);
  const ids = (await Array.fromAsync(saver.list(config))).map(({ checkpoint }) => checkpoint.id);
  saver.prune('1', ids.slice(1));
  expect((await Array.fromAsync(saver.list(config))).length).toBe(1);
  expect((await graph.getState(config)).values.words).toEqual(['one', 'a', 'two', 'a', 'three', 'a']);
  const left = db.query("SELECT count(*) AS n FROM checkpoint_values WHERE channel = 'words'").get();
  expect(left).toEqual({ n: 1 });
});

test('after a write that failed the run cannot go on over the hole', async () => {
  const { saver, db, commit } = opened({ a: say('a') });
  const config = { configurable: { thread_id: '1', checkpoint_ns: '' } };
  const checkpoint = { v: 4, id: '1', ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} };
  db.run('ALTER TABLE checkpoints RENAME TO gone');
  await saver.put(config, checkpoint, { source: 'input', step: -1, parents: {} }, {});
  commit.flush();
  await new Promise((resolve) => setImmediate(resolve));
  db.run('ALTER TABLE gone RENAME TO checkpoints');
  const next = saver.put(config, { ...checkpoint, id: '2' }, { source: 'loop', step: 0, parents: {} }, {});
  expect(next).rejects.toThrow('no such table');
});
