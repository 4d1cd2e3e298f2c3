/** The contract of `ThreadArchive` besides listings: threads without a turn, searches, updates and copies. */
import { expect, test } from 'bun:test';
import type { Archive, ThreadSearch } from '../../state/threads/archive.ts';
import type { ArchivedState } from './archive.ts';
import { storedTurn } from './turn.ts';

export function threadArchiveContract(
  open: () => Promise<{ state: ArchivedState; close: () => Promise<void> }>,
): void {
  async function opened(use: (threads: Archive['threads'], state: ArchivedState) => Promise<void>) {
    const { state, close } = await open();
    try {
      await use(state.archive.threads, state);
    } finally {
      await close();
    }
  }

  const make = (threads: Archive['threads'], threadId: string, metadata = {}, createdAt = 1) =>
    threads.create('ann', { threadId, metadata, createdAt });
  const all = { owner: 'ann', sortBy: 'thread_id', descending: false, limit: 10, offset: 0 } as const;
  const idsOf = async (threads: Archive['threads'], search: Partial<ThreadSearch>) => {
    const items = await threads.search({ ...all, ...search });
    return [items.map(({ threadId }) => threadId).join(''), await threads.count({ ...all, ...search })];
  };

  test('creates a thread without a turn, once per owner and id', () =>
    opened(async (threads) => {
      const ttl = { minutes: 1.5, strategy: 'delete' as const };
      expect(await threads.create('ann', { threadId: 'a', metadata: { n: 1 }, createdAt: 5, ttl })).toBe(
        true,
      );
      expect(await make(threads, 'a')).toBe(false);
      expect(await threads.create('bob', { threadId: 'a', metadata: {}, createdAt: 6 })).toBe(true);
      expect(await threads.find('ann', 'a')).toMatchObject({
        ...{ title: '', workflow: '', head: null, status: 'idle', metadata: { n: 1 }, createdAt: 5 },
        ttl: { ...ttl, expiresAt: 90_005 },
      });
      expect(await threads.find('bob', 'a')).toMatchObject({ metadata: {}, ttl: null });
    }));

  test('an update keeps other fields and the time of the last activity', () =>
    opened(async (threads) => {
      await make(threads, 'a', { n: 1 });
      expect(await threads.update('ann', 'a', { title: 'Mine' })).toBe(true);
      expect(await threads.find('ann', 'a')).toMatchObject({ title: 'Mine', metadata: { n: 1 }, ttl: null });
      const before = Date.now();
      await threads.update('ann', 'a', { metadata: {}, ttl: { minutes: 1, strategy: 'keep_latest' } });
      const changed = await threads.find('ann', 'a');
      expect(changed).toMatchObject({ title: 'Mine', metadata: {}, updatedAt: 1 });
      expect(changed?.ttl?.expiresAt).toBeGreaterThanOrEqual(before + 60_000);
      expect(await threads.update('bob', 'a', { title: 'His' })).toBe(false);
    }));

  test('searches by each field of the metadata, comparing JSON values', () =>
    opened(async (threads) => {
      await make(threads, 'a', { n: 1, on: true, of: { deep: [1, 'x'] }, '"$.k': 'é\0' });
      await make(threads, 'b', { n: '1', on: false, of: {} });
      await make(threads, 'c', {});
      const found = (metadata: Record<string, unknown>) => idsOf(threads, { metadata });
      expect(await found({})).toEqual(['abc', 3]);
      expect(await found({ n: 1 })).toEqual(['a', 1]);
      expect(await found({ n: '1' })).toEqual(['b', 1]);
      expect(await found({ n: 1, on: false })).toEqual(['', 0]);
      expect(await found({ n: 1, on: true })).toEqual(['a', 1]);
      expect(await found({ of: { deep: [1, 'x'] } })).toEqual(['a', 1]);
      expect(await found({ of: { deep: [1] } })).toEqual(['', 0]);
      expect(await found({ of: {} })).toEqual(['b', 1]);
      expect(await found({ n: null })).toEqual(['c', 1]);
      expect(await found({ n: null, on: null })).toEqual(['c', 1]);
      expect(await found({ n: 1, none: null })).toEqual(['a', 1]);
      expect(await found({ '"$.k': 'é' })).toEqual(['', 0]);
    }));

  test('searches by ids, workflow and status, in any order, and counts all results', () =>
    opened(async (threads, state) => {
      await make(threads, 'a', {}, 9);
      await storedTurn(state, { threadId: 'b', workflow: 'v', at: 3, ends: 'interrupted' });
      await storedTurn(state, { threadId: 'c', workflow: 'v', at: 5, ends: 'failed' });
      await storedTurn(state, { threadId: 'd', at: 4, ends: 'accepted' });
      await storedTurn(state, { threadId: 'd', owner: 'bob' });
      const found = (search: Partial<ThreadSearch>) => idsOf(threads, search);
      expect(await found({ ids: ['a', 'd', 'x'] })).toEqual(['ad', 2]);
      expect(await found({ workflow: 'v' })).toEqual(['bc', 2]);
      expect(await found({ status: 'busy' })).toEqual(['d', 1]);
      expect(await found({ status: 'interrupted' })).toEqual(['b', 1]);
      expect(await found({ status: 'error' })).toEqual(['c', 1]);
      expect(await found({ status: 'idle' })).toEqual(['a', 1]);
      expect(await found({ sortBy: 'updated_at' })).toEqual(['bdca', 4]);
      expect(await found({ sortBy: 'created_at', descending: true })).toEqual(['acdb', 4]);
      // Alphabetical: busy, error, idle, interrupted.
      expect(await found({ sortBy: 'status' })).toEqual(['dcab', 4]);
      expect(await found({ limit: 2, offset: 1 })).toEqual(['bc', 4]);
      expect(await found({ offset: 9 })).toEqual(['', 4]);
    }));

  test('a copy has the checkpoints and messages of its origin and is independent of it', () =>
    opened(async (threads, state) => {
      const { head } = await storedTurn(state, { prompt: 'First?' });
      await storedTurn(state, { prompt: 'Second?', ends: 'interrupted' });
      const from = await threads.find('ann', 't');
      if (!from) throw new Error('no thread');
      await threads.copy(from, 'copy', 50);
      const copy = await threads.find('ann', 'copy');
      expect(copy).toMatchObject({
        ...{ title: 'Title', messageCount: 2, status: 'interrupted', createdAt: 50, updatedAt: 50 },
        ...{ head: from.head, interrupt: { headBefore: head } },
      });
      await state.archive.removal.thread(from.key);
      const key = copy?.key ?? '';
      const { items } = await state.archive.messages(key, { limit: 5 });
      expect(items.map(({ content }) => content)).toEqual(['First?', 're: First?']);
      const left = await Array.fromAsync(state.checkpointer.list({ configurable: { thread_id: key } }));
      expect(left.map(({ checkpoint }) => checkpoint.id)).toEqual([from.head ?? '', head]);
      expect(await state.threads.dropInterrupt(key)).toBe(true);
      expect(await threads.find('ann', 'copy')).toMatchObject({ head, status: 'idle' });
      expect(threads.copy(from, 'late', 60)).rejects.toThrow('does not exist');
    }));
}
