/** The contract of savers beyond LangGraph's suite, with real graphs. */
import { afterEach, expect, test } from 'bun:test';
import type { RunnableConfig } from '@langchain/core/runnables';
import { Annotation, Command, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';
import { ERROR, TASKS } from '@langchain/langgraph-checkpoint';
import { LeaseLost } from '../../../state/cluster/lease.ts';
import type { OpenedSavers } from './opened-savers.ts';

const State = Annotation.Root({
  words: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  rows: Annotation<unknown>,
});

type Node = (state: typeof State.State, config?: RunnableConfig) => Promise<Partial<typeof State.State>>;

const say = (word: string) => async () => ({ words: [word] });

const PUBLIC = { configurable: { thread_id: 'public' } };

const THREAD = '000000000001';
const INPUT = { source: 'input' as const, step: -1, parents: {} };
const COUNT_OF_WORDS = "coalesce(sum(CASE WHEN channel = 'words' THEN 1 END), 0)";
const at = (checkpoint_id?: string) => ({
  configurable: { thread_id: THREAD, checkpoint_ns: '', checkpoint_id },
});
const checkpointOf = (id: string) => ({
  v: 4,
  id,
  ts: '',
  channel_values: {},
  channel_versions: {},
  versions_seen: {},
});

export function saverContract(open: () => Promise<OpenedSavers>): void {
  let close = async () => {};
  afterEach(async () => {
    await close();
    close = async () => {};
  });

  async function openSavers(): Promise<OpenedSavers> {
    const store = await open();
    close = store.close;
    return store;
  }

  async function opened(nodes: Record<string, Node>) {
    const store = await openSavers();
    const names = Object.keys(nodes);
    const graph = new StateGraph(State).addNode(nodes);
    [...names, END].forEach((name, index) => {
      graph.addEdge((names[index - 1] ?? START) as 'a', name as 'a');
    });
    return { ...store, graph: graph.compile({ checkpointer: store.saver }) };
  }

  test('a turn starts from the given head, not from the newest checkpoint', async () => {
    const { graph, saver, saverOf } = await opened({ a: say('a') });
    const turn = async (head: string | null, word: string) => {
      graph.checkpointer = await saverOf({ threadKey: THREAD, threadId: 'public', head });
      return (await graph.invoke({ words: [word] }, { ...PUBLIC, durability: 'sync' })).words;
    };
    expect(await turn(null, 'one')).toEqual(['one', 'a']);
    const first = (await saver.getTuple({ configurable: { thread_id: THREAD } }))?.checkpoint.id ?? '';
    expect(await turn(first, 'two')).toEqual(['one', 'a', 'two', 'a']);
    expect(await turn(first, 'three')).toEqual(['one', 'a', 'three', 'a']);
    expect(await turn(null, 'four')).toEqual(['four', 'a']);
  });

  test('the graph of a run sees the public thread id in every config', async () => {
    const seen: unknown[] = [];
    const { graph, saverOf } = await opened({
      async a(_: unknown, config?: RunnableConfig) {
        seen.push(config?.configurable?.thread_id, config?.metadata?.thread_id);
        return { words: ['a'] };
      },
    });
    graph.checkpointer = await saverOf({ threadKey: THREAD, threadId: 'public', head: null });
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

  test('data that looks like a serialized object stays plain data', async () => {
    const forged = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs: { content: 'x' },
    };
    const { graph } = await opened({ a: async () => ({ rows: [forged] }) });
    const config = { configurable: { thread_id: THREAD } };
    await graph.invoke({ words: [] }, config);
    expect((await graph.getState(config)).values.rows).toEqual([forged]);
  });

  test('the work of an agent is on disk before the next one starts', async () => {
    const seen: number[] = [];
    const { graph, saverOf, committed } = await opened({
      a: say('a'),
      b: async () => {
        seen.push(await committed('checkpoint_values', COUNT_OF_WORDS));
        return {};
      },
    });
    graph.checkpointer = await saverOf({ threadKey: THREAD, threadId: 'public', head: null });
    await graph.invoke({ words: ['question'] }, { ...PUBLIC, durability: 'sync' });
    expect(seen).toEqual([2]);
  });

  test('the first agent does not wait for the disk', async () => {
    const seen: number[] = [];
    const { graph, saverOf, committed } = await opened({
      a: async () => {
        seen.push(await committed('checkpoint_values', COUNT_OF_WORDS));
        return {};
      },
    });
    graph.checkpointer = await saverOf({ threadKey: THREAD, threadId: 'public', head: null });
    await graph.invoke({ words: ['question'] }, { ...PUBLIC, durability: 'sync' });
    expect(seen).toEqual([0]);
  });

  test('a checkpoint is readable as soon as its log entry is', async () => {
    const { saver, writer } = await openSavers();
    const seen: Promise<unknown>[] = [];
    const run = await writer(THREAD, ({ checkpointId }) => {
      seen.push(saver.getTuple({ configurable: { thread_id: THREAD, checkpoint_id: checkpointId } }));
    });
    await run.put(at(), checkpointOf('1'), INPUT, {});
    expect(await Promise.all(seen)).toEqual([expect.objectContaining({ metadata: INPUT })]);
  });

  test('of the writes of a task, the first ordinary and the last special ones are kept', async () => {
    const { saver, writer } = await openSavers();
    const run = await writer(THREAD);
    await run.put(at(), checkpointOf('1'), INPUT, {});
    const config = at('1');
    await run.putWrites(
      config,
      [
        ['a', 'x\u0000'],
        [ERROR, 'first'],
        ['b', 1],
      ],
      'task',
    );
    await run.putWrites(
      config,
      [
        ['a', 'other'],
        [ERROR, 'second'],
        ['b', 2],
        ['c', '\u0000'],
      ],
      'task',
    );
    const writes = (await saver.getTuple(config))?.pendingWrites ?? [];
    expect(writes.map(([, channel, value]) => [channel, value]).sort()).toEqual(
      [
        ['a', 'x\u0000'],
        [ERROR, 'second'],
        ['b', 1],
        ['c', '\u0000'],
      ].sort(),
    );
  });

  test('deletes a thread completely', async () => {
    const { graph, saver, committed } = await opened({ a: say('a') });
    const config = { configurable: { thread_id: THREAD } };
    await graph.invoke({ words: ['word '.repeat(1_000)] }, config);
    await saver.deleteThread(THREAD);
    const tables = [
      'checkpoints',
      'checkpoint_values',
      'checkpoint_elements',
      'checkpoint_writes',
      'checkpoint_deltas',
    ];
    for (const table of tables) expect([table, await committed(table, 'count(*)')]).toEqual([table, 0]);
  });

  test('lists many checkpoints completely, in order, and filtered by source', async () => {
    const { saver, writer } = await openSavers();
    const run = await writer(THREAD);
    const ids = Array.from({ length: 230 }, (_, index) => String(index).padStart(4, '0'));
    for (const [index, id] of ids.entries())
      await run.put(at(), checkpointOf(id), { ...INPUT, source: index % 23 ? 'loop' : 'update' }, {});
    const listed = async (options: object) =>
      (await Array.fromAsync(saver.list(at(), options))).map(({ checkpoint }) => checkpoint.id);
    expect(await listed({})).toEqual(ids.toReversed());
    expect(await listed({ limit: 150 })).toEqual(ids.toReversed().slice(0, 150));
    const updates = ids.filter((_, index) => index % 23 === 0).toReversed();
    expect(await listed({ filter: { source: 'update' } })).toEqual(updates);
    expect(await listed({ filter: { source: 'update' }, limit: 3 })).toEqual(updates.slice(0, 3));
    expect(await listed({ before: at('0100'), limit: 2 })).toEqual(['0099', '0098']);
  });

  test('a checkpoint inherits the delta channels of its parent, even if both are written together', async () => {
    const { writer, written, committed } = await openSavers();
    const run = await writer(THREAD);
    const counted = (channel: string) => ({
      ...INPUT,
      counters_since_delta_snapshot: { [channel]: [1, 1] as [number, number] },
    });
    await run.put(at(), checkpointOf('1'), counted('log'), {});
    await run.put(at('1'), checkpointOf('2'), INPUT, {});
    await run.put(at('2'), checkpointOf('3'), counted('other'), {});
    await written();
    expect(await committed('checkpoints', `sum(CASE WHEN deltas LIKE '%"log"%' THEN 1 END)`)).toBe(3);
    expect(await committed('checkpoints', `sum(CASE WHEN deltas LIKE '%"other"%' THEN 1 END)`)).toBe(1);
  });

  test('checkpoints of different threads that have the same id inherit from their own parents', async () => {
    const { saver, written, committed } = await openSavers();
    const of = (thread_id: string, checkpoint_id?: string) => ({
      configurable: { thread_id, checkpoint_ns: '', checkpoint_id },
    });
    const counted = { ...INPUT, counters_since_delta_snapshot: { log: [1, 1] as [number, number] } };
    await saver.put(of('b'), checkpointOf('1'), INPUT, {});
    await saver.put(of('a'), checkpointOf('1'), counted, {});
    await saver.put(of('b', '1'), checkpointOf('2'), INPUT, {});
    await written();
    expect(await committed('checkpoints', "sum(CASE WHEN thread = 'b' AND deltas IS NULL THEN 1 END)")).toBe(
      2,
    );
  });

  test('an interrupt is stored with its checkpoint and can be answered', async () => {
    const { graph } = await opened({
      a: async () => ({ words: [String(interrupt('which?'))] }),
      b: say('b'),
    });
    const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
    await graph.invoke({ words: [] }, config);
    expect((await graph.getState(config)).tasks[0]?.interrupts[0]?.value).toBe('which?');
    expect((await graph.invoke(new Command({ resume: 'this' }), config)).words).toEqual(['this', 'b']);
  });

  test('a checkpoint only stores what changed', async () => {
    const { graph, written, committed } = await opened({ a: async () => ({ rows: 'small' }) });
    const characters = () => committed('checkpoint_values', 'sum(length(value))');
    const config = { configurable: { thread_id: THREAD } };
    await graph.invoke({ words: ['w'.repeat(50_000)] }, config);
    await written();
    const before = await characters();
    await graph.invoke({ rows: 'other' }, config);
    await written();
    expect((await characters()) - before).toBeLessThan(500);
  });

  test('pruning deletes the given checkpoints and keeps what others need', async () => {
    const { graph, saver, prune, committed } = await opened({ a: say('a') });
    const config = { configurable: { thread_id: THREAD } };
    for (const word of ['one', 'two', 'three']) await graph.invoke({ words: [word] }, config);
    const ids = (await Array.fromAsync(saver.list(config))).map(({ checkpoint }) => checkpoint.id);
    await prune(THREAD, ids.slice(1));
    expect((await Array.fromAsync(saver.list(config))).length).toBe(1);
    expect((await graph.getState(config)).values.words).toEqual(['one', 'a', 'two', 'a', 'three', 'a']);
    expect(await committed('checkpoint_values', COUNT_OF_WORDS)).toBe(1);
  });

  test('nothing is found without a thread, and nothing is stored', async () => {
    const { saver } = await openSavers();
    const nowhere = { configurable: {} };
    for (const config of [{}, nowhere]) {
      expect(await saver.getTuple(config)).toBeUndefined();
      expect(await saver.getDeltaChannelHistory({ config, channels: ['log'] })).toEqual({
        log: { writes: [] },
      });
      await expect(saver.put(config, checkpointOf('1'), INPUT, {})).rejects.toThrow("'thread_id' is missing");
      await expect(saver.putWrites(config, [], 'task')).rejects.toThrow("'thread_id' is missing");
    }
    await expect(saver.putWrites(at(), [['a', 1]], 'task')).rejects.toThrow("'checkpoint_id' is missing");
    expect(await Array.fromAsync(saver.list({}))).toEqual([]);
  });

  test('lists the checkpoints of all threads, of a namespace and of a source', async () => {
    const { saver } = await openSavers();
    const places = [
      ['a', '', '1'],
      ['b', '', '2'],
      ['b', 'sub:1', '3'],
    ] as const;
    for (const [thread_id, checkpoint_ns, id] of places)
      await saver.put({ configurable: { thread_id, checkpoint_ns } }, checkpointOf(id), INPUT, {});
    const listed = async (configurable: object) =>
      (await Array.fromAsync(saver.list({ configurable }))).map(({ checkpoint }) => checkpoint.id);
    expect(await listed({})).toEqual(['3', '2', '1']);
    expect(await listed({ thread_id: 'b' })).toEqual(['3', '2']);
    expect(await listed({ checkpoint_ns: '' })).toEqual(['2', '1']);
    expect(await listed({ thread_id: 'b', checkpoint_ns: '', checkpoint_id: '2' })).toEqual(['2']);
  });

  test('a value that cannot be stored names its channel, or the node to which it was sent', async () => {
    const { saver, writer } = await openSavers();
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    const versions = { rows: saver.getNextVersion(undefined) };
    const circular = { ...checkpointOf('1'), channel_values: { rows: circle }, channel_versions: versions };
    for (const one of [saver, await writer(THREAD)])
      await expect(one.put(at(), circular, INPUT, versions)).rejects.toThrow(
        "The value of the channel 'rows' cannot be stored: it contains a circular reference",
      );
    await saver.put(at(), checkpointOf('1'), INPUT, {});
    const sent = (value: unknown) => saver.putWrites(at('1'), [[TASKS, value]], 'task');
    await expect(sent(new Send('worker', circle))).rejects.toThrow(
      "The input sent to the node 'worker' cannot be stored",
    );
    await expect(sent(circle)).rejects.toThrow(`The value of the channel '${TASKS}' cannot be stored`);
    const throwing = {
      get field(): string {
        throw new Error('unreadable');
      },
    };
    await expect(sent(throwing)).rejects.toThrow('unreadable');
    expect((await saver.getTuple(at()))?.pendingWrites).toEqual([]);
  });

  test('reads the sends of checkpoints before format 4 from the writes of their parent', async () => {
    const { saver, writer } = await openSavers();
    const run = await writer(THREAD);
    const versions = { words: saver.getNextVersion(undefined) };
    const older = (id: string, channel_versions: Record<string, number>) => ({
      ...{ ...checkpointOf(id), v: 3, channel_versions },
    });
    const sends = [new Send('worker', 1), new Send('worker', 2)];
    await run.put(at(), older('1', {}), INPUT, {});
    await run.putWrites(
      at('1'),
      [
        [TASKS, sends[0]],
        ['words', 'x'],
        [TASKS, sends[1]],
      ],
      'task',
    );
    await run.put(at('1'), older('2', versions), INPUT, {});
    await run.put(at('1'), older('3', {}), INPUT, {});
    const sendsAt = async (id: string) => (await saver.getTuple(at(id)))?.checkpoint;
    expect((await sendsAt('1'))?.channel_values).toEqual({});
    expect(await sendsAt('2')).toMatchObject({
      channel_values: { [TASKS]: sends },
      channel_versions: { [TASKS]: versions.words },
    });
    expect((await sendsAt('3'))?.channel_versions[TASKS]).toBeGreaterThan(0);
  });

  test('a failed change outside of a run does not affect the next one', async () => {
    const { saver, change } = await openSavers();
    await change('checkpoints', (table) => `ALTER TABLE ${table} RENAME TO gone`);
    const failed = saver.put(at(), checkpointOf('1'), INPUT, {});
    await expect(failed).rejects.toThrow('checkpoints');
    await change('gone', (table) => `ALTER TABLE ${table} RENAME TO checkpoints`);
    await saver.put(at(), checkpointOf('1'), INPUT, {});
    expect((await saver.getTuple(at()))?.checkpoint.id).toBe('1');
  });

  test('the graph of a run without a head finds no state, lists its own checkpoints and cannot delete the thread', async () => {
    const { saverOf } = await openSavers();
    const saver = await saverOf({ threadKey: THREAD, threadId: 'public', head: null });
    for (const config of [{}, PUBLIC]) {
      expect(await saver.getTuple(config)).toBeUndefined();
      expect(await saver.getDeltaChannelHistory({ config, channels: ['log'] })).toEqual({
        log: { writes: [] },
      });
    }
    const inner = { configurable: { ...PUBLIC.configurable, checkpoint_ns: 'sub:1' } };
    expect(await saver.getTuple(inner)).toBeUndefined();
    expect(await saver.getDeltaChannelHistory({ config: inner, channels: ['log'] })).toEqual({
      log: { writes: [] },
    });
    expect(await saver.put({}, checkpointOf('1'), INPUT, {})).toEqual({
      configurable: { thread_id: 'public', checkpoint_ns: '', checkpoint_id: '1' },
    });
    const listed = await Array.fromAsync(saver.list({}));
    expect(listed.map(({ config }) => config.configurable)).toEqual([
      { thread_id: 'public', checkpoint_ns: '', checkpoint_id: '1' },
    ]);
    await expect(saver.putWrites({}, [], 'task')).rejects.toThrow("'checkpoint_id' is missing");
    await expect(saver.deleteThread('public')).rejects.toThrow('cannot delete the thread');
  });

  test('a run cannot continue after a failed write', async () => {
    const { writer, change, written } = await openSavers();
    const run = await writer(THREAD);
    await change('checkpoints', (table) => `ALTER TABLE ${table} RENAME TO gone`);
    await run.put(at(), checkpointOf('1'), INPUT, {});
    await written();
    await new Promise((resolve) => setImmediate(resolve));
    await change('gone', (table) => `ALTER TABLE ${table} RENAME TO checkpoints`);
    await expect(run.put(at(), checkpointOf('2'), { ...INPUT, source: 'loop' }, {})).rejects.toThrow(
      'checkpoints',
    );
    await expect(run.putWrites(at('1'), [['a', 1]], 'task')).rejects.toThrow('checkpoints');
    expect(() => run.assertWritten(THREAD)).toThrow('checkpoints');
  });

  test('a run that was claimed again cannot write', async () => {
    const { writer, change, written, committed } = await openSavers();
    const run = await writer(THREAD);
    await run.put(at(), checkpointOf('1'), INPUT, {});
    await written();
    await change('runs', (table) => `UPDATE ${table} SET lease = 2`);
    await run.put(at('1'), checkpointOf('2'), INPUT, {});
    await written();
    await new Promise((resolve) => setImmediate(resolve));
    expect(() => run.assertWritten(THREAD)).toThrow(LeaseLost);
    expect(await committed('checkpoints', 'count(*)')).toBe(1);
  });
}
