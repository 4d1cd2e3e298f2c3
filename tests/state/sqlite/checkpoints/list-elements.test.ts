/** Lists in checkpoints: every version comes back as it was put, and an element is stored once. */
import { afterEach, expect, test } from 'bun:test';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { randomOf } from '../../../client/random.ts';
import { filesWith } from '../../../support/bytes.ts';
import { openSaver } from './open-saver.ts';

const opened: ReturnType<typeof openSaver>[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
function open() {
  const one = openSaver();
  opened.push(one);
  return one;
}
type Store = ReturnType<typeof openSaver>;

const THREAD = '000000000001';
let checkpoints = 0;

/** Puts a checkpoint with one channel and gives its id. */
async function put({ saver }: Store, list: unknown, parent?: string, ns = '', channel = 'list') {
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

async function get({ saver }: Store, id: string, ns = '', channel = 'list', run?: string): Promise<unknown> {
  const at = { thread_id: THREAD, checkpoint_ns: ns, checkpoint_id: id, run_id: run };
  return (await saver.getTuple({ configurable: at }))?.checkpoint.channel_values[channel];
}

/** Characters in the checkpoints' tables, keys aside. */
function stored({ db, commit }: Store): number {
  commit.flush();
  const columns = {
    checkpoints: 'length(versions) + length(body) + length(metadata)',
    checkpoint_values: 'length(value) + ifnull(length(elements), 0)',
    checkpoint_elements: 'length(value)',
    checkpoint_writes: 'length(writes)',
  };
  return Object.entries(columns).reduce((sum, [table, length]) => {
    const row = db.query<{ n: number | null }, []>(`SELECT sum(${length}) AS n FROM ${table}`).get();
    return sum + (row?.n ?? 0);
  }, 0);
}

const elements = (store: Store) =>
  store.db.query<{ n: number }, []>('SELECT count(*) AS n FROM checkpoint_elements').get()?.n;

const long = (text: string) => `${text} ${'word '.repeat(60)}`;
const longList = (count: number, name = 'element') =>
  Array.from({ length: count }, (_, index) => long(`${name} ${index}`));

test('500 turns of a list that only grows cost at most 1 KB a turn beyond what was said', async () => {
  const store = open();
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
    .compile({ checkpointer: store.saver });
  const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
  const halves: number[] = [];
  for (let turn = 0; turn < 500; turn++) {
    const message = new HumanMessage({ content: `question ${turn}`, id: Bun.randomUUIDv7() });
    const configurable = { ...config.configurable, run_id: `${turn}` };
    await graph.invoke({ messages: message }, { ...config, configurable });
    // What a run's end does.
    await store.commit.commit(THREAD, () => store.db.query('DELETE FROM checkpoint_writes').run());
    store.saver.release(THREAD);
    if (turn % 250 === 249) halves.push(stored(store));
  }
  const { messages } = (await graph.getState(config)).values as typeof State.State;
  expect(messages.length).toBe(1_000);
  const content = messages.reduce((sum, { content, id }) => sum + content.length + (id?.length ?? 0), 0);
  const [half = 0, whole = 0] = halves;
  expect((whole - content) / 500).toBeLessThan(1_024);
  // It does not grow with the thread.
  expect((whole - half) / half).toBeLessThan(1.1);
  const first = (await Array.fromAsync(store.saver.list(config))).at(-1);
  expect(first?.checkpoint.channel_values.messages).toBeUndefined();
  expect(elements(store)).toBe(1_000);
}, 120_000);

test('every version of lists on branches comes back as it was put, whatever is pruned and reopened', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const random = randomOf(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  let store = open();
  const kept = new Map<string, { list: unknown[]; ns: string; channel: string }>();
  const counts = { split: 0, pruned: 0 };
  for (let step = 0; step < 600; step++) {
    const [parent, base] = [...kept][below(kept.size)] ?? [undefined, { list: [], ns: '', channel: 'list' }];
    const list = edited(base.list, random);
    const place = {
      ns: below(4) ? base.ns : ['', 'sub:1', 'sub:2'][below(3)],
      channel: below(3) ? 'list' : 'b:c',
    };
    const { ns = '', channel } = place;
    if (parent && below(3) === 0)
      expect(await get(store, parent, base.ns, base.channel, 'run')).toEqual(base.list);
    const id = await put(store, list, parent, ns, channel);
    kept.set(id, { list: structuredClone(list), ns, channel });
    // What was put is what counts, not what becomes of the list.
    list.push('changed in place');
    if (below(12) === 0) {
      store.commit.flush();
      store.saver.release(THREAD);
    }
    if (below(15) === 0) {
      const gone = [...kept.keys()].filter(() => random() < 0.6);
      await store.commit.commit(THREAD, () => store.saver.prune(THREAD, gone));
      for (const one of gone) kept.delete(one);
      counts.pruned += gone.length;
    }
    if (below(40) === 0) {
      for (const [one, { list, ns, channel }] of kept)
        expect(await get(store, one, ns, channel)).toEqual(list);
      store.leave();
      opened.splice(opened.indexOf(store), 1);
      store = openSaver(store.folder);
      opened.push(store);
    }
    counts.split = Math.max(counts.split, elements(store) ?? 0);
  }
  for (const [one, { list, ns, channel }] of kept) expect(await get(store, one, ns, channel)).toEqual(list);
  expect(counts.split).toBeGreaterThan(50);
  expect(counts.pruned).toBeGreaterThan(100);
  await store.commit.commit(THREAD, () => store.saver.prune(THREAD, [...kept.keys()]));
  expect(elements(store)).toBe(0);
}, 60_000);

/** A list like `list` with some edits: appended, removed, replaced, moved, repeated or emptied. */
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

test('an element that is put again, moved or kept on another branch is not stored again', async () => {
  const store = open();
  const list = longList(20);
  const first = await put(store, list);
  await put(store, [...list.slice(10), ...list.slice(0, 10)], first);
  await put(store, [...list, list[0]], first);
  await put(store, list.toSpliced(3, 2), first);
  // Two that the version before lacks, and the new one.
  const replaced = await put(store, list.with(5, long('replaced')), first);
  store.commit.flush();
  expect(elements(store)).toBe(23);
  store.saver.release(THREAD);
  const last = await put(store, [...list.with(5, long('replaced')), long('last')], replaced, 'agent:1');
  expect(await get(store, last, 'agent:1')).toEqual([...list.with(5, long('replaced')), long('last')]);
  expect(elements(store)).toBe(24);
});

test('what was changed in place is stored as it is now', async () => {
  const store = open();
  const list = Array.from(
    { length: 20 },
    (_, index) => new HumanMessage({ id: `${index}`, content: long('a') }),
  );
  const first = await put(store, list);
  (list[7] as HumanMessage).content = long('b');
  const second = await put(store, list, first);
  const texts = async (id: string) =>
    ((await get(store, id)) as BaseMessage[]).map(({ text }) => text[0]).join('');
  expect(await texts(first)).toBe('a'.repeat(20));
  expect(await texts(second)).toBe(`${'a'.repeat(7)}b${'a'.repeat(12)}`);
});

test('lists of every kind come back as they were put', async () => {
  const store = open();
  const sparse = longList(20) as unknown[];
  delete sparse[3];
  const tool = new ToolMessage({ content: [{ type: 'text', text: long('x') }], tool_call_id: 't', id: 'm' });
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
    const id = await put(store, list, undefined, '', channel);
    store.commit.flush();
    store.saver.release(THREAD);
    expect(await get(store, id, '', channel)).toEqual(list);
  }
  const holes = (await get(store, await put(store, sparse))) as unknown[];
  expect(holes).toEqual([...sparse]);
  const channels = store.db.query('SELECT DISTINCT channel FROM checkpoint_elements ORDER BY 1').all();
  expect(channels).toEqual(
    ['$.["quoted"]', 'holes', 'list', 'nested', 'tagged'].map((channel) => ({ channel })),
  );
});

test('a write that was rolled back with those of others is written again, whole', async () => {
  const store = open();
  const list = longList(20);
  const first = await put(store, list);
  store.commit.flush();
  const second = put(store, [...list, long('second')], first);
  const other = store.commit.write('other', () => {
    throw new Error('fails');
  });
  await expect(other).rejects.toThrow('fails');
  const third = await put(store, [...list, long('second'), long('third')], await second);
  expect(await get(store, await second)).toEqual([...list, long('second')]);
  expect(await get(store, third)).toEqual([...list, long('second'), long('third')]);
  expect(elements(store)).toBe(22);
});

test('a file of an earlier version keeps its lists, and what is added to them is stored once', async () => {
  const store = open();
  const list = longList(20);
  const first = await put(store, list);
  store.commit.flush();
  store.db.run('DELETE FROM checkpoint_elements');
  store.db.query('UPDATE checkpoint_values SET elements = NULL, value = ?').run(JSON.stringify(list));
  store.saver.release(THREAD);
  expect(await get(store, first)).toEqual(list);
  const second = await put(store, [...list, long('more')], first);
  const third = await put(store, [...list, long('more'), long('and more')], second);
  expect(await get(store, third)).toEqual([...list, long('more'), long('and more')]);
  expect(elements(store)).toBe(22);
});

test('an element that no kept version has is gone from the file', async () => {
  const store = open();
  const list = longList(20);
  const first = await put(store, [...list.slice(0, 10), long('canary'), ...list.slice(10)]);
  const second = await put(store, list, first);
  store.commit.flush();
  expect(filesWith(store.folder, 'canary').length).toBeGreaterThan(0);
  await store.commit.commit(THREAD, () => store.saver.prune(THREAD, [first]));
  store.db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(filesWith(store.folder, 'canary')).toEqual([]);
  expect(await get(store, second)).toEqual(list);
});
