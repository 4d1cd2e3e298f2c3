/** The contract of `Archive`. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import type { State } from '../../state/state.ts';
import type { Archive, Page, StoredThread } from '../../state/threads/archive.ts';
import type { AgentReport } from '../../state/threads/run-trace.ts';
import { checkpoint, failedEnd, type StoredTurn, storedTurn } from './turn.ts';

export type ArchivedState = State & { archive: Archive };

/** The items of each page. */
async function pages<Item, Position>(read: (after?: Position) => Promise<Page<Item>>): Promise<Item[][]> {
  const found: Item[][] = [];
  for (let after: Position | undefined; ; ) {
    const { items, next } = await read(after);
    found.push(items);
    if (!next) return found;
    after = next as Position;
  }
}

export function archiveContract(
  open: () => Promise<{ state: ArchivedState; close: () => Promise<void> }>,
): void {
  async function opened(use: (state: ArchivedState, archive: Archive) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state, state.archive);
    } finally {
      await close();
    }
  }

  const idsOf = (threads: { threadId: string }[]) => threads.map(({ threadId }) => threadId);

  test('lists only threads of the owner, sorted by activity and then by creation', () =>
    opened(async (state, { threads }) => {
      for (const [threadId, at] of Object.entries({ a: 5, b: 5, c: 3, d: 9 })) {
        await storedTurn(state, { threadId, at });
      }
      await storedTurn(state, { threadId: 'a', owner: 'bob', at: 99 });
      const all = await threads.list({ owner: 'ann' }, { limit: 10 });
      expect(idsOf(all.items)).toEqual(['d', 'b', 'a', 'c']);
      expect(all.next).toBeNull();
      const first = await threads.list({ owner: 'ann' }, { limit: 2 });
      expect(idsOf(first.items)).toEqual(['d', 'b']);
      const after = first.next as [number, number];
      const second = await threads.list({ owner: 'ann' }, { limit: 2, after });
      expect([idsOf(second.items), second.next]).toEqual([['a', 'c'], null]);
      expect((await threads.find('bob', 'a'))?.updatedAt).toBe(99);
      expect(await threads.find('bob', 'd')).toBeUndefined();
      expect(await threads.update('bob', 'd', { title: 'Mine' })).toBe(false);
    }));

  test('the status is that of the last finished run, unless a run is unfinished or an interrupt is pending', () =>
    opened(async (state, { threads }) => {
      const statusAfter = async (ends?: 'failed' | 'cancelled' | 'interrupted' | 'accepted') => {
        await storedTurn(state, ends ? { ends } : {});
        return (await threads.find('ann', 't'))?.status;
      };
      expect(await statusAfter()).toBe('idle');
      expect(await statusAfter('failed')).toBe('error');
      expect(await statusAfter('cancelled')).toBe('idle');
      expect(await statusAfter('failed')).toBe('error');
      expect(await statusAfter()).toBe('idle');
      expect(await statusAfter('interrupted')).toBe('interrupted');
      expect(await statusAfter('accepted')).toBe('busy');
      for (const [status, count] of Object.entries({ busy: 1, interrupted: 0, error: 0, idle: 0 })) {
        const filter = { owner: 'ann', status: status as StoredThread['status'] };
        expect([status, (await threads.list(filter, { limit: 5 })).items.length]).toEqual([status, count]);
      }
    }));

  test(
    'a search finds old threads in pages',
    () =>
      opened(async (state, { threads }) => {
        for (let index = 0; index < 700; index++) {
          const title = index % 300 === 0 ? `Needle ${index}` : 'Hay';
          await storedTurn(state, { threadId: `t${index}`, title, at: index });
        }
        const filter = { owner: 'ann', text: 'nEEdle' };
        const first = await threads.list(filter, { limit: 2 });
        expect(idsOf(first.items)).toEqual(['t600', 't300']);
        const second = await threads.list(filter, { limit: 2, after: first.next as [number, number] });
        expect([idsOf(second.items), second.next]).toEqual([['t0'], null]);
      }),
    60_000,
  );

  test('lists threads and runs of all owners, and finds their owners', () =>
    opened(async (state, archive) => {
      const made: { runId: string; messageId: string }[] = [];
      for (const [owner, threadId, ends, at] of [
        ['ann', 'a', undefined, 5],
        ['bob', 'b', 'failed', 9],
        ['bob', 'c', 'accepted', 7],
        ['cat', 'd', 'interrupted', 3],
      ] as const)
        made.push((await storedTurn(state, { owner, threadId, at, ...(ends && { ends }) })).run);
      const hidden = await storedTurn(state, { owner: 'dan', threadId: 'e', at: 99 });
      await archive.removal.thread(hidden.thread.key);
      const threads = async (filter: object, limit = 10, after?: [number, number]) =>
        archive.threads.list({ owner: null, ...filter }, { limit, after });
      const ids = async (filter: object) => idsOf((await threads(filter)).items);
      expect(await ids({})).toEqual(['b', 'c', 'a', 'd']);
      expect(await ids({ workflow: 'w' })).toEqual(['b', 'c', 'a', 'd']);
      expect(await ids({ workflow: 'v' })).toEqual([]);
      expect(await ids({ status: 'busy' })).toEqual(['c']);
      expect(await ids({ status: 'error' })).toEqual(['b']);
      expect(await ids({ status: 'interrupted' })).toEqual(['d']);
      expect(await ids({ status: 'idle' })).toEqual(['a']);
      const first = await threads({}, 3);
      const rest = await threads({}, 3, first.next as [number, number]);
      expect([idsOf(rest.items), rest.next]).toEqual([['d'], null]);
      const runs = async (filter: object) => {
        const { items } = await archive.runs({ owner: null, ...filter }, { limit: 10 });
        return items.map(({ runId, owner }) => [made.findIndex((run) => run.runId === runId), owner]);
      };
      const all = [
        [3, 'cat'],
        [2, 'bob'],
        [1, 'bob'],
        [0, 'ann'],
      ];
      expect(await runs({})).toEqual(all);
      expect(await runs({ workflow: 'w' })).toEqual(all);
      expect(await runs({ status: 'failed' })).toEqual([[1, 'bob']]);
      expect(await runs({ status: 'running' })).toEqual([[2, 'bob']]);
      expect(await runs({ status: 'succeeded' })).toEqual([[0, 'ann']]);
      const page = await archive.runs({ owner: null }, { limit: 3 });
      const last = await archive.runs({ owner: null }, { limit: 3, after: page.next as [string] });
      expect([last.items.map(({ owner }) => owner), last.next]).toEqual([['ann'], null]);
      expect(await state.runs.ownerOf(made[1]?.runId ?? '')).toBe('bob');
      expect(await state.runs.ownerOf('unknown')).toBeUndefined();
      expect(await state.messages.ownerOf(made[0]?.messageId ?? '')).toBe('ann');
      expect(await state.messages.ownerOf('unknown')).toBeUndefined();
    }));

  test('lists runs by owner, thread, workflow and status in pages, newest first', () =>
    opened(async (state, archive) => {
      const made: string[] = [];
      for (const [threadId, workflow, ends] of [
        ['a', 'w', undefined],
        ['b', 'w', 'failed'],
        ['a', 'v', undefined],
        ['a', 'w', 'cancelled'],
        ['b', 'v', 'accepted'],
      ] as const) {
        const { run } = await storedTurn(state, { threadId, workflow, ...(ends ? { ends } : {}) });
        made.push(run.runId);
      }
      await storedTurn(state, { owner: 'bob' });
      const thread = (await archive.threads.find('ann', 'a'))?.key;
      const listed = async (filter: object, limit = 10) => {
        const { items } = await archive.runs({ owner: 'ann', ...filter }, { limit });
        return items.map(({ runId }) => made.indexOf(runId));
      };
      expect(await listed({})).toEqual([4, 3, 2, 1, 0]);
      expect(await listed({ thread })).toEqual([3, 2, 0]);
      expect(await listed({ workflow: 'w' })).toEqual([3, 1, 0]);
      expect(await listed({ status: 'failed' })).toEqual([1]);
      expect(await listed({ status: 'cancelled', workflow: 'v' })).toEqual([]);
      expect(await listed({ status: 'running' })).toEqual([4]);
      expect(await listed({ status: 'succeeded', workflow: 'w' })).toEqual([0]);
      const first = await archive.runs({ owner: 'ann' }, { limit: 2 });
      const second = await archive.runs({ owner: 'ann' }, { limit: 3, after: first.next as [string] });
      const numbers = second.items.map(({ runId }) => made.indexOf(runId));
      expect([numbers, second.next]).toEqual([[2, 1, 0], null]);
    }));

  test('filters runs by time, duration, tokens, cost, error, prompt file and feedback', () =>
    opened(async (state, archive) => {
      const now = Date.now();
      const prompt = (version: number) => ({
        ...{ filename: 'w.a.jinja', revision_id: 'v1', version, sha256: 'f'.repeat(64) },
      });
      const report = (version: number): AgentReport => ({
        ...{ agent: 'a', path: [], execution: 1, state: 'finished', startedAt: now, durationMs: 1 },
        ...{ prompts: [prompt(version)], calls: [], steps: [], tools: [] },
      });
      const usage = (inputTokens: number, cost: number) => ({
        ...{ inputTokens, outputTokens: 5, cost },
        models: new Map([
          ['one', { inputTokens, outputTokens: 5, cost: cost / 2 }],
          ['two', { inputTokens: 0, outputTokens: 0, cost: cost / 2 }],
          ['free', { inputTokens: 0, outputTokens: 0 }],
        ]),
      });
      const HOUR = 3_600_000;
      const made: StoredTurn[] = [
        await storedTurn(state, { at: now, ends: 'failed', tookMs: 40, usage: usage(10, 0.2) }),
        await storedTurn(state, { at: now, tookMs: 5_000, usage: usage(100, 0.3), agents: [report(1)] }),
        await storedTurn(state, { at: now, tookMs: 60_000, usage: usage(1, 0.01), agents: [report(2)] }),
        await storedTurn(state, { at: now, threadId: 'other', ends: 'accepted' }),
      ];
      for (const [at, positive_feedback] of [
        [1, true],
        [2, false],
      ] as const)
        await state.feedback.put({
          ...{ message_id: made[at]?.run.messageId ?? '', thread_id: 't', user_id: null },
          ...{ positive_feedback, rating: null, comment: null, tags: [], updated_at: '' },
        });
      await storedTurn(state, {
        owner: 'bob',
        at: now,
        tookMs: 60_000,
        usage: usage(100, 1),
        agents: [report(2)],
      });
      for (const [filter, found] of [
        [{ from: now - HOUR }, [3, 2, 1, 0]],
        [{ from: now + 1 }, []],
        [{ from: now + HOUR }, []],
        [{ until: now }, []],
        [{ until: now - HOUR }, []],
        [{ until: now + 1, from: now }, [3, 2, 1, 0]],
        [{ minDurationMs: 5_000 }, [2, 1]],
        [{ minDurationMs: 5_001 }, [2]],
        [{ minTokens: 15 }, [1, 0]],
        [{ minTokens: 16 }, [1]],
        [{ minCost: 0.2 }, [1, 0]],
        [{ minCost: 0.31 }, []],
        [{ errorCode: 'INTERNAL_ERROR' }, [0]],
        [{ errorCode: 'RUN_TIMEOUT' }, []],
        [{ prompt: { filename: 'w.a.jinja' } }, [2, 1]],
        [{ prompt: { filename: 'w.a.jinja', version: 2 } }, [2]],
        [{ prompt: { filename: 'w.a.jinja', revision: 'default' } }, []],
        [{ prompt: { filename: 'w.a\'"%_' } }, []],
        [{ prompt: { filename: 'a.jinja' } }, []],
        [{ feedback: 'positive' }, [1]],
        [{ feedback: 'negative' }, [2]],
        [{ status: 'failed', minTokens: 15, errorCode: 'INTERNAL_ERROR' }, [0]],
        [{ status: 'succeeded', workflow: 'w', feedback: 'negative', minDurationMs: 1 }, [2]],
        [{ workflow: 'v', minTokens: 1 }, []],
      ] as const) {
        const { items } = await archive.runs({ owner: 'ann', ...filter }, { limit: 10 });
        const numbers = items.map(({ runId }) => made.findIndex(({ run }) => run.runId === runId));
        expect([filter, numbers] as unknown[]).toEqual([filter, [...found]]);
        const everybody = await archive.runs({ owner: null, ...filter }, { limit: 10 });
        const own = everybody.items.filter(({ owner }) => owner === 'ann');
        expect([filter, own.map(({ runId }) => runId)] as unknown[]).toEqual([
          filter,
          items.map(({ runId }) => runId),
        ]);
      }
    }));

  test(
    'pages of long turns have fewer items but at least one, and are complete',
    () =>
      opened(async (state, archive) => {
        const sizes = [3_000_000, 300_000, 300_001, 300_002, 2_000_000, 300_003];
        for (const size of sizes) await storedTurn(state, { prompt: 'x'.repeat(size) });
        const key = (await archive.threads.find('ann', 't'))?.key ?? '';
        const runs = await pages((after?: [string]) => archive.runs({ owner: 'ann' }, { limit: 100, after }));
        const prompts = runs.map((page) => page.map(({ request }) => request.userPrompt.length));
        expect(prompts.flat()).toEqual(sizes.toReversed());
        const messages = await pages((after?: [number]) => archive.messages(key, { limit: 100, after }));
        const newest = await pages((after?: [number]) =>
          archive.messages(key, { limit: 100, after, newestFirst: true }),
        );
        expect(newest.flat()).toEqual(messages.flat().toReversed());
        const contents = messages.map((page) => page.map(({ content }) => content.length));
        expect(contents.flat()).toEqual(sizes.flatMap((size) => [size, size + 're: '.length]));
        for (const page of [...prompts, ...contents]) expect(page.length).toBeGreaterThan(0);
        for (const lengths of [prompts, contents]) {
          expect(Math.max(...lengths.map((page) => page.length))).toBeGreaterThan(1);
          const several = lengths.filter((page) => page.length > 1);
          for (const page of several) expect(page.reduce((sum, one) => sum + one, 0)).toBeLessThan(4_000_000);
        }
      }),
    60_000,
  );

  test('deleting a thread deletes all of its data and frees its id', () =>
    opened(async (state, archive) => {
      const { run } = await storedTurn(state, { idempotencyKey: 'k' });
      const other = await storedTurn(state, { threadId: 'other' });
      const thread = await archive.threads.find('ann', 't');
      const deletion = archive.removal.thread(thread?.key ?? '');
      while (await archive.threads.find('ann', 't'));
      const runs = await archive.runs({ owner: 'ann' }, { limit: 5 });
      expect(runs.items.map(({ threadId }) => threadId)).toEqual(['other']);
      await deletion;
      expect(await archive.threads.find('ann', 't')).toBeUndefined();
      expect(await state.runs.find('ann', run.runId)).toBeUndefined();
      expect(await state.messages.find('ann', run.messageId)).toBeUndefined();
      expect(await state.coordination.findByIdempotencyKey('ann', { key: 'k', digest: 'd' })).toBeUndefined();
      expect(await state.events.read(run.runId, { entry: 0 }, 10)).toEqual([]);
      const left = await Array.fromAsync(
        state.checkpointer.list({ configurable: { thread_id: thread?.key } }),
      );
      expect(left).toEqual([]);
      expect((await archive.threads.find('ann', 'other'))?.head).toBe(other.head);
      await storedTurn(state, { title: 'New' });
      expect(await archive.threads.find('ann', 't')).toMatchObject({ title: 'New', messageCount: 2 });
    }));

  test('a thread with an unfinished run is not deleted', () =>
    opened(async (state, archive) => {
      const { thread, lease, run } = await storedTurn(state, { ends: 'accepted' });
      expect(await archive.removal.thread(thread.key)).toBe(false);
      expect(await archive.threads.find('ann', 't')).toMatchObject({ key: thread.key });
      expect(await state.runs.find('ann', run.runId)).toMatchObject({ status: 'running' });
      await state.coordination.end(lease, failedEnd({ run, thread }), false);
      expect(await archive.removal.thread(thread.key)).toBe(true);
      expect(await archive.threads.find('ann', 't')).toBeUndefined();
    }));

  test('a draft is invisible until it is published, and cannot be published if its origin was deleted', () =>
    opened(async (state, archive) => {
      const { head } = await storedTurn(state);
      const from = (await archive.threads.find('ann', 't')) as StoredThread;
      const checkpoint = await archive.checkpoints.find(from.key, head);
      if (!checkpoint) throw new Error('no checkpoint');
      const drafted = async () => {
        const draft = await archive.forks.draft(from, checkpoint, 5);
        if (!draft) throw new Error('no draft');
        return draft;
      };
      const [draft, late] = [await drafted(), await drafted()];
      expect(draft.newest.map(({ content }) => content)).toEqual(['re: A question?', 'A question?']);
      expect((await archive.threads.list({ owner: 'ann' }, { limit: 5 })).items.length).toBe(1);
      const fork = {
        threadId: 'fork',
        workflow: 'w',
        head,
        memory: from.memory,
        createdAt: 50,
        changed: [],
        added: [],
      };
      expect(await archive.forks.publish(from, draft, fork)).toBe(true);
      expect(await archive.threads.find('ann', 'fork')).toMatchObject({
        head,
        messageCount: 2,
        createdAt: 50,
        parent: { threadId: 't', checkpointId: head },
      });
      await archive.removal.thread(from.key);
      expect(await archive.forks.publish(from, late, { ...fork, threadId: 'late' })).toBe(false);
      await archive.forks.discard(late);
      expect(await archive.threads.find('ann', 'late')).toBeUndefined();
      expect((await archive.threads.find('ann', 'fork'))?.head).toBe(head);
      expect((await archive.messages(draft.key, { limit: 5 })).items.length).toBe(2);
    }));

  test('a draft copies the requested checkpoints of subgraphs and no others', () =>
    opened(async (state, archive) => {
      const { head, thread, run } = await storedTurn(state);
      const inner = await checkpoint(state, thread, run, 'inside', 'a:1');
      const other = await checkpoint(state, thread, run, 'elsewhere', 'b:2');
      const from = (await archive.threads.find('ann', 't')) as StoredThread;
      const at = await archive.checkpoints.find(from.key, head);
      if (!at) throw new Error('no checkpoint');
      const draft = await archive.forks.draft(from, at, 0, [{ namespace: 'a:1', checkpointId: inner }]);
      const key = draft?.key ?? '';
      expect((await archive.checkpoints.findAny(key, inner))?.namespace).toBe('a:1');
      expect(await archive.checkpoints.findAny(key, other)).toBeUndefined();
      const place = { thread_id: key, checkpoint_ns: 'a:1', checkpoint_id: inner };
      const copied = await state.checkpointer.getTuple({ configurable: place });
      expect(copied?.checkpoint.channel_values).toEqual({ word: 'inside' });
    }));

  test('retention finds threads by their last turn and events by the end of their run', () =>
    opened(async (state, { removal, threads }) => {
      await storedTurn(state, { threadId: 'old', at: 10 });
      await storedTurn(state, { threadId: 'older', owner: 'bob', at: 5 });
      const young = await storedTurn(state, { threadId: 'young', at: 100 });
      await storedTurn(state, { threadId: 'busy', at: 1, ends: 'accepted' });
      await storedTurn(state, { threadId: 'asks', at: 20, ends: 'interrupted' });
      expect((await removal.idleSince(50, 10)).map(({ threadId }) => threadId).toSorted()).toEqual([
        'asks',
        'old',
        'older',
      ]);
      expect((await removal.idleSince(50, 1)).length).toBe(1);
      expect(await removal.idleSince(5, 10)).toEqual([]);
      expect((await state.events.read(young.run.runId, { entry: 0 }, 10)).length).toBe(1);
      expect(await threads.find('bob', 'older')).toBeDefined();
    }));
}
