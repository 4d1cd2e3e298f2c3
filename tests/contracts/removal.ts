/** The contract of `Removal`: expired data is found and deleted; the rest is kept. */
import { expect, test } from 'bun:test';
import type { Archive } from '../../state/threads/archive.ts';
import type { ArchivedState } from './archive.ts';
import { accepted, checkpoint, failedEnd, storedTurn } from './turn.ts';

const MINUTE = 60_000;

export function removalContract(
  open: () => Promise<{ state: ArchivedState; close: () => Promise<void> }>,
): void {
  async function opened(use: (state: ArchivedState, removal: Archive['removal']) => Promise<void>) {
    const { state, close } = await open();
    try {
      await use(state, state.archive.removal);
    } finally {
      await close();
    }
  }

  const checkpointsOf = async (state: ArchivedState, key: string) => {
    const all = await Array.fromAsync(state.checkpointer.list({ configurable: { thread_id: key } }));
    return all.map(({ checkpoint }) => checkpoint.id).toSorted();
  };

  test('a thread expires once, unless it was active or has an unfinished run', () =>
    opened(async (state, removal) => {
      const { thread } = await storedTurn(state, { at: 10 });
      expect(await removal.expire(thread.key, 10)).toBe(false);
      const turn = await storedTurn(state, { at: 10, ends: 'accepted' });
      expect(await removal.expire(thread.key, 11)).toBe(false);
      await state.coordination.end(turn.lease, failedEnd(turn, 20), false);
      expect(await removal.expire(thread.key, 11)).toBe(false);
      expect(await removal.expire(thread.key, 21)).toBe(true);
      expect(await state.archive.threads.find('ann', 't')).toBeUndefined();
      expect(await state.threads.byKey(thread.key)).toBeUndefined();
      expect(await checkpointsOf(state, thread.key)).toEqual([]);
    }));

  test('deletes history except the newest state, the states of subgraphs and the origins of forks', () =>
    opened(async (state, removal) => {
      const first = await storedTurn(state);
      const { key } = first.thread;
      const { run } = await storedTurn(state);
      const kept = await checkpoint(state, first.thread, run, 'sub', 'kept');
      await checkpoint(state, first.thread, run, 'task', 'agent:1');
      const second = await storedTurn(state);
      const last = await storedTurn(state);
      const newer = await checkpoint(state, first.thread, run, 'task', 'agent:2');
      const from = await state.archive.threads.find('ann', 't');
      const at = from && (await state.archive.checkpoints.find(key, second.head));
      if (!at) throw new Error('no checkpoint');
      const draft = await state.archive.forks.draft(from, at, 0);
      const busy = await storedTurn(state, { ends: 'accepted' });
      expect(await removal.history(key)).toBe(false);
      expect((await checkpointsOf(state, key)).length).toBe(7);
      await state.coordination.end(busy.lease, failedEnd(busy), false);
      expect(await removal.history(key)).toBe(true);
      expect(await checkpointsOf(state, key)).toEqual([kept, second.head, last.head, newer].toSorted());
      if (draft) await state.archive.forks.discard(draft);
      expect(await removal.history(key)).toBe(true);
      expect(await checkpointsOf(state, key)).toEqual([kept, last.head, newer].toSorted());
      expect(await removal.history('000000099999')).toBe(false);
    }));

  test('a waiting thread keeps the state to which it returns', () =>
    opened(async (state, removal) => {
      await storedTurn(state);
      const before = await storedTurn(state);
      const asks = await storedTurn(state, { ends: 'interrupted' });
      const { key } = asks.thread;
      expect(await removal.history(key)).toBe(true);
      expect(await checkpointsOf(state, key)).toEqual([before.head, asks.head]);
      await state.threads.dropInterrupt(key);
      expect((await state.threads.byKey(key))?.head).toBe(before.head);
    }));

  test('finds threads whose time to live has ended; threads that only lose history once per activity', () =>
    opened(async (state, removal) => {
      const { threads } = state.archive;
      const make = (threadId: string, createdAt: number, strategy: 'delete' | 'keep_latest') =>
        threads.create('ann', { threadId, metadata: {}, createdAt, ttl: { minutes: 1, strategy } });
      await make('b', 200, 'keep_latest');
      await make('a', 100, 'delete');
      await make('later', 300, 'delete');
      await threads.create('ann', { threadId: 'forever', metadata: {}, createdAt: 1 });
      expect(await removal.expired(MINUTE + 100, 5)).toEqual([]);
      expect((await removal.expired(MINUTE + 201, 1)).map(({ threadId }) => threadId)).toEqual(['a']);
      const over = await removal.expired(MINUTE + 201, 5);
      const b = await threads.find('ann', 'b');
      expect(over.map(({ threadId }) => threadId)).toEqual(['a', 'b']);
      expect(over[1]).toEqual({
        ...{ owner: 'ann', threadId: 'b', key: b?.key ?? '', strategy: 'keep_latest', updatedAt: 200 },
      });
      await removal.history(b?.key ?? '');
      const expired = async () => (await removal.expired(MINUTE + 251, 5)).map(({ threadId }) => threadId);
      expect(await expired()).toEqual(['a']);
      const turn = await storedTurn(state, { threadId: 'b', at: 250, ends: 'accepted' });
      expect(await expired()).toEqual(['a']);
      await state.coordination.end(turn.lease, failedEnd(turn, 250), false);
      expect(await expired()).toEqual(['a', 'b']);
    }));

  test('finds temporary threads when their run has ended', () =>
    opened(async (state, removal) => {
      await storedTurn(state, { at: 1 });
      const once = (runId: string) => ({
        ...{
          runId,
          messageId: runId,
          owner: 'ann',
          threadId: 'once',
          title: '',
          workflow: 'w',
          createdAt: 1,
        },
        request: { userPrompt: '?', deadlineSeconds: 1, requestId: 'r', temporary: true },
      });
      const turn = await accepted(state, once('r'));
      expect(await removal.temporary(50, 5)).toEqual([]);
      await state.coordination.end(turn.lease, failedEnd(turn, 20), false);
      expect(await removal.temporary(50, 5)).toEqual([{ owner: 'ann', threadId: 'once' }]);
      expect(await removal.temporary(20, 5)).toEqual([]);
      expect(await state.archive.threads.list({ owner: 'ann' }, { limit: 5 })).toMatchObject({
        items: [{ threadId: 't' }],
      });
      await storedTurn(state, { threadId: 'once', at: 20 });
      expect(await removal.temporary(50, 5)).toEqual([]);
    }));

  test('deletes an ended run with its log but keeps its effects on the thread', () =>
    opened(async (state, removal) => {
      const { run, thread, head } = await storedTurn(state);
      const going = await storedTurn(state, { ends: 'accepted' });
      for (const { runId } of [run, going.run]) await removal.run(runId);
      expect(await state.runs.find('ann', run.runId)).toBeUndefined();
      expect(await state.events.read(run.runId, { entry: 0 }, 10)).toEqual([]);
      expect(await state.runs.find('ann', going.run.runId)).toBeDefined();
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head, messageCount: 2 });
      expect((await state.archive.messages(thread.key, { limit: 5 })).items.length).toBe(2);
    }));

  test('numbers of a thread’s log continue after those of a deleted run', () =>
    opened(async (state, removal) => {
      const { run, thread } = await storedTurn(state);
      const before = (await state.events.readThread(thread.key, 0, 10)).at(-1)?.seq ?? 0;
      await removal.run(run.runId);
      await storedTurn(state);
      expect((await state.events.readThread(thread.key, 0, 10)).map(({ seq }) => seq)).toEqual([before + 1]);
    }));

  test('deletes events of runs that ended before a time, and older idempotency records', () =>
    opened(async (state, removal) => {
      const old = await storedTurn(state, { at: 10, idempotencyKey: 'old' });
      const young = await storedTurn(state, { at: 100, idempotencyKey: 'young' });
      const events = (runId: string) => state.events.read(runId, { entry: 0 }, 10);
      for (let from: number | null = 0; from !== null; ) from = await removal.events(50, from);
      expect(await events(old.run.runId)).toEqual([]);
      expect((await events(young.run.runId)).length).toBe(1);
      while (await removal.idempotencyKeys(50));
      const repeated = (key: string) => state.coordination.findByIdempotencyKey('ann', { key, digest: 'd' });
      expect(await repeated('old')).toBeUndefined();
      expect(await removal.items(50)).toBe(false);
    }));
}
