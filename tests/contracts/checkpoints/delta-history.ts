/** The contract of delta channels: values at kept checkpoints don't change when checkpoints before them are deleted. */
import { expect, test } from 'bun:test';
import { Annotation, DeltaChannel, END, Overwrite, START, StateGraph } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { randomOf } from '../../client/random.ts';
import { type OpenedSavers, rowsOf } from './opened-savers.ts';

const THREAD = '000000000001';

type Update = string[] | Overwrite<string[]>;
const joined = (log: string[], writes: Update[]) => [...log, ...(writes as string[][]).flat()];

function graphs(saver: BaseCheckpointSaver, snapshotFrequency: number) {
  const State = Annotation.Root({
    asked: Annotation<string>,
    log: () => new DeltaChannel<string[], Update>(joined, { snapshotFrequency }),
    never: () => new DeltaChannel<string[], Update>(joined),
  });
  const noting = new StateGraph(State)
    .addNode('one', ({ asked }) => ({ log: asked === 'anew' ? new Overwrite(['anew']) : [`one ${asked}`] }))
    .addNode('two', ({ asked }) => (asked === 'quiet' ? {} : { log: [`two ${asked}`] }))
    .addEdge(START, 'one')
    .addEdge('one', 'two')
    .addEdge('two', END)
    .compile({ checkpointer: saver });
  const other = new StateGraph(Annotation.Root({ asked: Annotation<string> }))
    .addNode('other', () => ({}))
    .addEdge(START, 'other')
    .addEdge('other', END)
    .compile({ checkpointer: saver });
  return { noting, other };
}

/** A saver as a run has it, which starts from the head. */
function saverOf(store: OpenedSavers, head: string | null) {
  return store.saverOf({ threadKey: THREAD, threadId: THREAD, head });
}

export function deltaHistoryContract(open: () => Promise<OpenedSavers>): void {
  test('values are unchanged at every kept checkpoint, on branches, after pruning and after another workflow', async () => {
    const seed = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}`);
    const random = randomOf(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const frequency = 1 + below(12);
    let store = await open();
    const values = new Map<string, string[]>();
    const heads: string[] = [];
    let pruned = 0;
    const at = (more: object) => ({
      configurable: { thread_id: THREAD, ...more },
      durability: 'sync' as const,
    });
    const logAt = async (id: string) => {
      const { noting } = graphs(store.saver, frequency);
      return ((await noting.getState(at({ checkpoint_id: id }))).values as { log: string[] }).log;
    };
    for (let turn = 0; turn < 60; turn++) {
      const { noting, other } = graphs(store.saver, frequency);
      const head = heads[below(4) ? heads.length - 1 : below(heads.length)] ?? null;
      const before = head ? (values.get(head) ?? []) : [];
      const asked = ['anew', 'quiet', `${turn}`, `${turn}`, `${turn}`][below(5)] as string;
      const isOther = below(5) === 0;
      const config = at({});
      const saver = await saverOf(store, head);
      noting.checkpointer = other.checkpointer = saver;
      if (isOther) await other.invoke({ asked }, config);
      else await noting.invoke({ asked }, config);
      const known = new Set(values.keys());
      const made = (await Array.fromAsync(store.saver.list(at({})))).filter(
        ({ checkpoint }) => !known.has(checkpoint.id),
      );
      for (const { checkpoint } of made) values.set(checkpoint.id, await logAt(checkpoint.id));
      const after = isOther
        ? before
        : [
            ...(asked === 'anew' ? ['anew'] : [...before, `one ${asked}`]),
            ...(asked === 'quiet' ? [] : [`two ${asked}`]),
          ];
      const newest = made[0]?.checkpoint.id ?? '';
      expect(values.get(newest)).toEqual(after);
      heads.push(newest);
      await store.written();
      await store.settle(THREAD);
      if (below(3) === 0) {
        const deleted = [...values.keys()].filter((id) => id !== newest && random() < 0.7);
        await store.prune(THREAD, deleted);
        for (const id of deleted) values.delete(id);
        pruned += deleted.length;
      }
      heads.splice(0, heads.length, ...heads.filter((id) => values.has(id)));
      if (below(10) === 0) {
        store = await store.reopen();
      }
      for (const [id, log] of values) expect(await logAt(id)).toEqual(log);
    }
    expect(pruned).toBeGreaterThan(50);
    expect(await rowsOf(store, 'checkpoint_deltas')).toBeLessThanOrEqual(values.size * (2 + 2 * frequency));
    await store.close();
  }, 60_000);

  test('a channel with a single write keeps it without a chain of steps', async () => {
    const store = await open();
    const { noting, other } = graphs(store.saver, 1_000);
    let head: string | null = null;
    for (let turn = 0; turn < 30; turn++) {
      noting.checkpointer = other.checkpointer = await saverOf(store, head);
      const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
      if (turn === 0) await noting.invoke({ asked: 'secret' }, config);
      else await other.invoke({ asked: 'x' }, config);
      const ids = (await Array.fromAsync(store.saver.list(config))).map(({ checkpoint }) => checkpoint.id);
      head = ids[0] ?? null;
      await store.written();
      await store.settle(THREAD);
      await store.prune(THREAD, ids.slice(1));
    }
    noting.checkpointer = store.saver;
    const config = { configurable: { thread_id: THREAD, checkpoint_id: head ?? '' } };
    expect((await noting.getState(config)).values.log).toEqual(['one secret', 'two secret']);
    expect(await rowsOf(store, 'checkpoint_deltas')).toBe(3);
    await store.close();
  });

  test('values are unchanged if older checkpoints are deleted before their writes are settled', async () => {
    const store = await open();
    const { noting } = graphs(store.saver, 1_000);
    const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
    const expected: string[] = [];
    let head: string | null = null;
    for (let turn = 0; turn < 6; turn++) {
      noting.checkpointer = await saverOf(store, head);
      await noting.invoke({ asked: `${turn}` }, config);
      expected.push(`one ${turn}`, `two ${turn}`);
      await store.written();
      const ids = (await Array.fromAsync(store.saver.list(config))).map(({ checkpoint }) => checkpoint.id);
      head = ids[0] ?? null;
      // Sometimes two checkpoints are kept, and sometimes the writes are settled first.
      if (turn === 3) await store.settle(THREAD);
      await store.pruneHistory(THREAD, ids.slice(turn % 2 === 0 ? 1 : 2));
      noting.checkpointer = store.saver;
      expect((await noting.getState(config)).values.log).toEqual(expected);
    }
    await store.close();
  });

  test('values are unchanged if checkpoints are deleted in several steps before their writes are settled', async () => {
    const store = await open();
    const { noting } = graphs(store.saver, 1_000);
    const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
    let head: string | null = null;
    const idsOf = async () =>
      (await Array.fromAsync(store.saver.list(config))).map(({ checkpoint }) => checkpoint.id);
    for (const asked of ['0', 'quiet', '2']) {
      noting.checkpointer = await saverOf(store, head);
      await noting.invoke({ asked }, config);
      await store.written();
      head = (await idsOf())[0] ?? null;
    }
    noting.checkpointer = store.saver;
    const logAt = async (id: string) =>
      (await noting.getState({ configurable: { thread_id: THREAD, checkpoint_id: id } })).values.log;
    const ids = await idsOf();
    const logs = new Map(await Promise.all(ids.map(async (id) => [id, await logAt(id)] as const)));
    // The newest turn has the checkpoints 0 to 3. From the second deletion on, the parent of checkpoint 3 is a step that was
    // deleted because it was empty.
    for (const deleted of [ids.slice(6), ids.slice(4, 6), ids.slice(2, 3), ids.slice(1, 2)]) {
      await store.pruneHistory(THREAD, deleted);
      const kept = await idsOf();
      expect(kept).not.toContain(deleted[0] ?? '');
      for (const id of kept) expect([id, await logAt(id)]).toEqual([id, logs.get(id)]);
    }
    expect(await idsOf()).toEqual([ids[0] ?? '', ids[3] ?? '']);
    await store.close();
  });

  test('a copy of a checkpoint has its values, and a checkpoint without delta channels needs no steps', async () => {
    const store = await open();
    const { noting, other } = graphs(store.saver, 1_000);
    const config = { configurable: { thread_id: THREAD }, durability: 'sync' as const };
    other.checkpointer = await saverOf(store, null);
    await other.invoke({ asked: 'x' }, config);
    const plain = (await store.saver.getTuple({ configurable: { thread_id: THREAD } }))?.checkpoint.id ?? '';
    await store.copySteps(THREAD, plain, 'copy');
    await store.copySteps(THREAD, 'unknown', 'copy');
    expect(await rowsOf(store, 'checkpoint_deltas')).toBe(0);
    noting.checkpointer = await saverOf(store, null);
    await noting.invoke({ asked: 'x' }, config);
    await store.written();
    const at = { configurable: { thread_id: THREAD } };
    const head = (await store.saver.getTuple(at))?.checkpoint.id ?? '';
    await store.copySteps(THREAD, head, 'copy');
    const tuple = await store.saver.getTuple(at);
    if (!tuple?.metadata) throw new Error('no checkpoint');
    await store.saver.put({ configurable: { thread_id: 'copy' } }, tuple.checkpoint, tuple.metadata, {});
    const history = (thread_id: string) =>
      store.saver.getDeltaChannelHistory({
        config: { configurable: { thread_id, checkpoint_id: head } },
        channels: ['log'],
      });
    expect((await history('copy')).log?.writes.map(([, , value]) => value)).toEqual([['one x'], ['two x']]);
    expect(await history('copy')).toEqual(await history(THREAD));
    await store.close();
  });
}
