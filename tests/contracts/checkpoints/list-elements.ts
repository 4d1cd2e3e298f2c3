/** The contract of lists in checkpoints: every version is read as it was put, and an element is stored once. */
import { afterEach, expect, test } from 'bun:test';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { RunSaver } from '../../../state/checkpoints/checkpoints.ts';
import { randomOf } from '../../client/random.ts';
import { type OpenedSavers, rowsOf } from './opened-savers.ts';

const THREAD = '000000000001';
let checkpoints = 0;

/** Puts a checkpoint with one channel; returns its id. */
export async function put(
  saver: BaseCheckpointSaver<number>,
  list: unknown,
  parent?: string,
  ns = '',
  channel = 'list',
) {
  const id = String(checkpoints++).padStart(10, '0');
  const version = saver.getNextVersion(checkpoints << 20);
  const at = { thread_id: THREAD, checkpoint_ns: ns, checkpoint_id: parent };
  const versions = { [channel]: version };
  await saver.put(
    { configurable: at },
    { v: 4, id, ts: '', channel_values: { [channel]: list }, channel_versions: versions, versions_seen: {} },
    { source: 'loop', step: 0, parents: {} },
    versions,
  );
  return id;
}

export async function get(
  saver: BaseCheckpointSaver<number>,
  id: string,
  ns = '',
  channel = 'list',
): Promise<unknown> {
  const at = { thread_id: THREAD, checkpoint_ns: ns, checkpoint_id: id };
  return (await saver.getTuple({ configurable: at }))?.checkpoint.channel_values[channel];
}

/** The number of characters in the checkpoint tables, without keys. */
async function stored(savers: OpenedSavers): Promise<number> {
  await savers.written();
  const columns = {
    checkpoints: 'length(versions) + length(body) + length(metadata)',
    checkpoint_values: "length(value) + length(coalesce(elements, ''))",
    checkpoint_elements: 'length(value)',
    checkpoint_writes: 'length(writes)',
  };
  const sums = Object.entries(columns).map(([table, length]) => savers.committed(table, `sum(${length})`));
  return (await Promise.all(sums)).reduce((sum, one) => sum + one, 0);
}

const elements = (savers: OpenedSavers) => rowsOf(savers, 'checkpoint_elements');

export const long = (text: string) => `${text} ${'word '.repeat(60)}`;
export const longList = (count: number, name = 'element') =>
  Array.from({ length: count }, (_, index) => long(`${name} ${index}`));

/** A random edit of `list`: elements are appended, removed, replaced, moved or repeated, or all are removed. */
function edited(list: unknown[], random: () => number): unknown[] {
  const below = (limit: number) => Math.floor(random() * limit);
  const next = [...list];
  for (let edits = below(4); edits >= 0; edits--) {
    const at = below(next.length + 1);
    const kind = below(9);
    if (kind < 4) next.push(...Array.from({ length: 1 + below(4) }, () => element(random)));
    else if (kind === 4) next.splice(at, below(5));
    else if (kind === 5) next.splice(at, 1, element(random));
    else if (kind === 6) next.splice(at, 0, ...next.splice(below(next.length + 1), below(6)));
    else if (kind === 7) next.splice(at, 0, ...next.slice(at, at + below(4)));
    else if (below(12) === 0) next.length = 0;
  }
  return next;
}

function element(random: () => number): unknown {
  const text = long(`element ${Math.floor(random() * 40)}`);
  const kinds = [
    text,
    { text, inner: [1, { $: 'x' }] },
    [text, []],
    undefined,
    null,
    new Date(5),
    text,
    text,
  ];
  return kinds[Math.floor(random() * kinds.length)];
}

export function listElementsContract(open: () => Promise<OpenedSavers>): void {
  const toClose: OpenedSavers[] = [];
  afterEach(async () => {
    for (const one of toClose.splice(0)) await one.close();
  });

  async function opened(): Promise<OpenedSavers> {
    const one = await open();
    toClose.push(one);
    return one;
  }

  async function reopened(savers: OpenedSavers): Promise<OpenedSavers> {
    const next = await savers.reopen();
    toClose.splice(toClose.indexOf(savers), 1, next);
    return next;
  }

  test('500 turns of a growing list take at most 1 KB per turn in addition to the text', async () => {
    const store = await opened();
    const State = Annotation.Root({
      messages: Annotation<BaseMessage[], BaseMessage>({
        reducer: (left, right) => [...left, right],
        default: () => [],
      }),
    });
    const graph = new StateGraph(State)
      .addNode('answer', async ({ messages }) => ({
        messages: new AIMessage({ content: long(`answer ${messages.length}`), id: Bun.randomUUIDv7() }),
      }))
      .addEdge(START, 'answer')
      .addEdge('answer', END)
      .compile();
    const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
    const halves: number[] = [];
    let head: string | null = null;
    for (let turn = 0; turn < 500; turn++) {
      const message = new HumanMessage({ content: `question ${turn}`, id: Bun.randomUUIDv7() });
      graph.checkpointer = await store.saverOf({ threadKey: THREAD, threadId: THREAD, head });
      await graph.invoke({ messages: message }, config);
      head = (graph.checkpointer as RunSaver).newest() ?? null;
      await store.written();
      await store.settle(THREAD);
      if (turn % 250 === 249) halves.push(await stored(store));
    }
    graph.checkpointer = store.saver;
    const { messages } = (await graph.getState(config)).values as typeof State.State;
    expect(messages.length).toBe(1_000);
    const content = messages.reduce((sum, { content, id }) => sum + content.length + (id?.length ?? 0), 0);
    const [half = 0, full = 0] = halves;
    expect((full - content) / 500).toBeLessThan(1_024);
    // It does not grow with the thread.
    expect((full - half) / half).toBeLessThan(1.1);
    const first = (await Array.fromAsync(store.saver.list(config))).at(-1);
    expect(first?.checkpoint.channel_values.messages).toBeUndefined();
    expect(await elements(store)).toBe(1_000);
  }, 120_000);

  test('every version of lists on branches is read as it was put, after pruning and reopening', async () => {
    const seed = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}`);
    const random = randomOf(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    let store = await opened();
    let writer = await store.writer(THREAD);
    const kept = new Map<string, { list: unknown[]; ns: string; channel: string }>();
    const counts = { split: 0, pruned: 0 };
    for (let step = 0; step < 600; step++) {
      const [parent, base] = [...kept][below(kept.size)] ?? [
        undefined,
        { list: [], ns: '', channel: 'list' },
      ];
      const list = edited(base.list, random);
      const place = {
        ns: below(4) ? base.ns : ['', 'sub:1', 'sub:2'][below(3)],
        channel: below(3) ? 'list' : 'b:c',
      };
      const { ns = '', channel } = place;
      if (parent && below(3) === 0)
        expect(await get(writer, parent, base.ns, base.channel)).toEqual(base.list);
      const id = await put(below(8) ? writer : store.saver, list, parent, ns, channel);
      kept.set(id, { list: structuredClone(list), ns, channel });
      // A copy, because the list is changed later.
      list.push('changed in place');
      if (below(12) === 0) {
        await store.written();
        writer = await store.writer(THREAD);
      }
      if (below(15) === 0) {
        const deleted = [...kept.keys()].filter(() => random() < 0.6);
        await store.written();
        await store.prune(THREAD, deleted);
        writer = await store.writer(THREAD);
        for (const one of deleted) kept.delete(one);
        counts.pruned += deleted.length;
      }
      if (below(40) === 0) {
        for (const [one, { list, ns, channel }] of kept)
          expect(await get(store.saver, one, ns, channel)).toEqual(list);
        store = await reopened(store);
        writer = await store.writer(THREAD);
      }
      counts.split = Math.max(counts.split, await elements(store));
    }
    for (const [one, { list, ns, channel }] of kept)
      expect(await get(store.saver, one, ns, channel)).toEqual(list);
    expect(counts.split).toBeGreaterThan(50);
    expect(counts.pruned).toBeGreaterThan(100);
    await store.prune(THREAD, [...kept.keys()]);
    expect(await elements(store)).toBe(0);
  }, 60_000);

  test('stores an element once if it is repeated, moved or on another branch', async () => {
    const store = await opened();
    const list = longList(20);
    const writer = await store.writer(THREAD);
    const first = await put(writer, list);
    await put(writer, [...list.slice(10), ...list.slice(0, 10)], first);
    await put(writer, [...list, list[0]], first);
    await put(writer, list.toSpliced(3, 2), first);
    // Two elements that the previous version lacks, and the new one.
    const replaced = await put(writer, list.with(5, long('replaced')), first);
    expect(await elements(store)).toBe(23);
    const next = [...list.with(5, long('replaced')), long('last')];
    const last = await put(await store.writer(THREAD), next, replaced, 'agent:1');
    expect(await get(store.saver, last, 'agent:1')).toEqual(next);
    expect(await elements(store)).toBe(24);
  });

  test('a change outside of a run only stores new elements', async () => {
    const store = await opened();
    const list = longList(20);
    const first = await put(store.saver, list);
    const second = await put(store.saver, [...list, long('more')], first);
    expect(await get(store.saver, second)).toEqual([...list, long('more')]);
    expect(await elements(store)).toBe(21);
  });

  test('concurrent changes and runs do not affect the lists of each other', async () => {
    const store = await opened();
    const list = longList(20);
    const first = await put(store.saver, list);
    const [run, other] = [await store.writer(THREAD), await store.writer(THREAD)];
    for (const one of [run, other]) expect(await get(one, first)).toEqual(list);
    const lists = ['a', 'b', 'c', 'd'].map((name) => [...list, long(name)]);
    const answered = await put(run, lists[0], first);
    const [second, third] = await Promise.all([
      put(store.saver, lists[1], first),
      put(store.saver, lists[2], first),
    ]);
    const again = await put(run, lists[3], answered);
    const ids = [answered, second, third, again];
    for (const [index, id] of ids.entries()) expect(await get(store.saver, id)).toEqual(lists[index]);
  });

  test('a state change after a run does not affect the lists of the run', async () => {
    const store = await opened();
    const list = longList(20);
    const changed = await put(store.saver, list);
    const answered = await put(await store.writer(THREAD), [...list, long('answer')], changed);
    await store.written();
    const again = await put(store.saver, [...list, long('change')], changed);
    expect(await get(store.saver, answered)).toEqual([...list, long('answer')]);
    expect(await get(store.saver, again)).toEqual([...list, long('change')]);
  });

  test('stores an element that was changed in place', async () => {
    const store = await opened();
    const list = Array.from(
      { length: 20 },
      (_, index) => new HumanMessage({ id: `${index}`, content: long('a') }),
    );
    const writer = await store.writer(THREAD);
    const first = await put(writer, list);
    (list[7] as HumanMessage).content = long('b');
    const second = await put(writer, list, first);
    const texts = async (id: string) =>
      ((await get(store.saver, id)) as BaseMessage[]).map(({ text }) => text[0]).join('');
    expect(await texts(first)).toBe('a'.repeat(20));
    expect(await texts(second)).toBe(`${'a'.repeat(7)}b${'a'.repeat(12)}`);
  });

  test('a list with a missing element is not read', async () => {
    const store = await opened();
    const id = await put(store.saver, longList(20));
    await store.change(
      'checkpoint_elements',
      (table) => `DELETE FROM ${table} WHERE value LIKE '%element 7%'`,
    );
    await expect(get(store.saver, id)).rejects.toThrow("of the channel 'list' are missing");
    await expect(get(await store.writer(THREAD), id)).rejects.toThrow("of the channel 'list' are missing");
  });

  test('reads lists of all kinds as they were put', async () => {
    const store = await opened();
    const sparse = longList(20) as unknown[];
    delete sparse[3];
    const tool = new ToolMessage({
      content: [{ type: 'text', text: long('x') }],
      tool_call_id: 't',
      id: 'm',
    });
    const lists: Record<string, unknown[]> = {
      empty: [],
      holes: [undefined, ...longList(20), undefined, undefined],
      nested: [longList(20), [], [tool, [tool]], ...longList(10)],
      tagged: Array.from({ length: 30 }, () => ({ $: 'date', v: long('[]') })),
      numbers: Array.from({ length: 5_000 }, (_, index) => index / 7),
      __pregel_tasks: Array.from({ length: 20 }, (_, index) => new Send('node', { text: long(`${index}`) })),
      '$.["quoted"]': longList(20),
    };
    for (const [channel, list] of Object.entries(lists)) {
      const id = await put(await store.writer(THREAD), list, undefined, '', channel);
      expect(await get(store.saver, id, '', channel)).toEqual(list);
    }
    const holes = (await get(store.saver, await put(store.saver, sparse))) as unknown[];
    expect(holes).toEqual([...sparse]);
    expect(await store.committed('checkpoint_elements', 'count(DISTINCT channel)')).toBe(5);
  });
}
