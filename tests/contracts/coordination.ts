/** The contract of `Coordination`. A driver's test calls it with a function that opens an empty state and can reopen it. */
import { expect, test } from 'bun:test';
import { type Lease, LeaseLost } from '../../state/cluster/lease.ts';
import type { OpenedState } from '../../state/opened-state.ts';
import type { State } from '../../state/state.ts';
import type { Admission, StopReason } from '../../state/threads/coordination.ts';
import type { NewRun, RunEnd } from '../../state/threads/runs.ts';
import type { Thread } from '../../state/threads/threads.ts';
import { accepted, checkpoint, failedEnd, ROOM, storedTurn } from './turn.ts';

export interface Opened {
  state: State & Pick<OpenedState, 'archive'>;
  /** Simulates a crash of the process; another one opens the same state. */
  next(): Promise<State>;
  close(): Promise<void>;
}

export function coordinationContract(open: () => Promise<Opened>): void {
  async function opened(use: (state: Opened['state'], next: Opened['next']) => Promise<void>): Promise<void> {
    const { state, next, close } = await open();
    try {
      await use(state, next);
    } finally {
      await close();
    }
  }

  test('turns of a thread are claimed one by one in the order of acceptance', () =>
    opened(async ({ coordination, ...state }) => {
      const [first, second, third] = [newRun(), newRun(), newRun()];
      const running = await accepted({ coordination, ...state }, first);
      expect(running.claim?.lease).toEqual({ runId: first.runId, number: 1 });
      for (const run of [second, third])
        expect((await accepted({ coordination, ...state }, run)).claim).toBeUndefined();
      expect(await coordination.claim(10)).toEqual([]);
      const next = await coordination.end(running.lease, failed(first, running.thread), true);
      expect(next?.lease).toEqual({ runId: second.runId, number: 1 });
      expect(await coordination.claim(10)).toEqual([]);
      await coordination.end(leaseOf(next), failed(second, running.thread), false);
      expect((await coordination.claim(10)).map(({ lease }) => lease.runId)).toEqual([third.runId]);
    }));

  test('a turn that follows a run is only accepted while that run is the newest of the thread', () =>
    opened(async (state) => {
      const accept = async (run: NewRun, follows: NonNullable<NewRun['follows']>) =>
        (await state.coordination.accept({ ...run, follows }, ROOM)).outcome;
      expect(await accept(newRun(), { runId: 'none', head: null })).toBe('moved');
      expect(await state.threads.find('ann', 't')).toBeUndefined();
      const { run, head } = await storedTurn(state);
      expect(await accept(newRun(), { runId: run.runId, head: 'another' })).toBe('moved');
      const next = newRun();
      expect(await accept(next, { runId: run.runId, head })).toBe('accepted');
      expect(await accept(newRun(), { runId: run.runId, head })).toBe('moved');
      expect(await accept(newRun(), { runId: next.runId, head: null })).toBe('accepted');
      expect(await accept(newRun(), { runId: next.runId, head: null })).toBe('moved');
    }));

  test('a stored response keeps all checkpoints of its thread', () =>
    opened(async (state) => {
      const { run, thread } = await storedTurn(state);
      expect(thread.keepsAll).toBe(false);
      const response = { store: true, background: false, items: [], metadata: {} };
      const next = newRun();
      const claimed = await accepted(state, {
        ...{ ...next, threadId: run.threadId, owner: run.owner },
        request: { ...next.request, response },
      });
      expect(claimed.thread.keepsAll).toBe(true);
    }));

  test('claims the oldest turns of all threads first, and at most `limit`', () =>
    opened(async (state) => {
      const threads = ['a', 'b', 'c'];
      for (const threadId of threads)
        await accepted(state, { ...newRun(), threadId }, { ...ROOM, claim: false });
      const claims = [...(await state.coordination.claim(2)), ...(await state.coordination.claim(2))];
      expect(claims.map(({ thread }) => thread.threadId)).toEqual(threads);
    }));

  test('a run whose start time has come keeps its place among the others; one whose time has not come is not claimed', () =>
    opened(async (state) => {
      const runs = [
        { threadId: 'a' },
        { threadId: 'b', notBefore: Date.now() + 60_000 },
        { threadId: 'c', notBefore: Date.now() - 1_000 },
        { threadId: 'd' },
      ];
      for (const run of runs) await accepted(state, { ...newRun(), ...run }, { ...ROOM, claim: false });
      const claims = [...(await state.coordination.claim(2)), ...(await state.coordination.claim(2))];
      expect(claims.map(({ thread }) => thread.threadId)).toEqual(['a', 'c', 'd']);
    }));

  test('concurrent claims claim each run once', () =>
    opened(async (state) => {
      for (let n = 0; n < 20; n++)
        await accepted(state, { ...newRun(), threadId: `t${n}` }, { ...ROOM, claim: false });
      const claims = await Promise.all(Array.from({ length: 10 }, () => state.coordination.claim(3)));
      const ids = claims.flat().map(({ lease }) => lease.runId);
      expect(ids).toHaveLength(20);
      expect(new Set(ids).size).toBe(20);
    }));

  test('a claim contains the current thread, with the head of the previous turn', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      await accepted(state, newRun());
      const head = await checkpoint(state, thread, run, 'end');
      const next = await state.coordination.end(lease, succeeded(run, thread), true);
      expect(next).toMatchObject({ thread: { head, messageCount: 2 }, checkpoint: null, stop: null });
    }));

  test('a run above a limit is rejected and leaves no rows', () =>
    opened(async (state) => {
      const enter = async (change: Partial<NewRun>, admission: Partial<Admission>) => {
        const acceptance = await state.coordination.accept(
          { ...newRun(), ...change },
          { ...ROOM, ...admission },
        );
        return acceptance.outcome === 'full' ? acceptance : acceptance.outcome;
      };
      expect(await enter({}, {})).toBe('accepted');
      expect(await enter({}, { strategy: 'reject' })).toBe('busy');
      expect(await enter({}, { perThread: 0 })).toEqual({ outcome: 'full', of: 'thread' });
      expect(await enter({}, { perThread: 1 })).toBe('accepted');
      expect(await enter({}, { perThread: 1 })).toEqual({ outcome: 'full', of: 'thread' });
      const elsewhere = { threadId: 'elsewhere' };
      expect(await enter(elsewhere, { queued: 1, claim: false })).toEqual({ outcome: 'full', of: 'all' });
      expect(await state.threads.find('ann', 'elsewhere')).toBeUndefined();
      expect(await enter(elsewhere, { queued: 1, strategy: 'reject' })).toBe('accepted');
      expect(await state.runs.unfinished()).toHaveLength(3);
    }));

  test('runs with a start time in the future are limited separately from waiting runs', () =>
    opened(async (state) => {
      const enter = async (change: Partial<NewRun>, admission: Partial<Admission>) => {
        const acceptance = await state.coordination.accept(
          { ...newRun(), ...change },
          { ...ROOM, ...admission },
        );
        return acceptance.outcome === 'full' ? acceptance : acceptance.outcome;
      };
      const notBefore = Date.now() + 60_000;
      const later = { notBefore };
      const [ofThread, ofAll] = [
        { outcome: 'full', of: 'thread' } as const,
        { outcome: 'full', of: 'all' } as const,
      ];
      for (let n = 0; n < 2; n++) expect(await enter(later, { perThread: 2 })).toBe('accepted');
      expect(await enter(later, { perThread: 2 })).toEqual(ofThread);
      expect(await enter({ ...later, threadId: 'elsewhere' }, { perThread: 2, queued: 2 })).toEqual(ofAll);
      expect(await state.threads.find('ann', 'elsewhere')).toBeUndefined();
      expect(await enter({ ...later, threadId: 'elsewhere' }, { perThread: 2, queued: 3 })).toBe('accepted');
      // One runs, and one waits behind it.
      expect(await enter({}, { perThread: 1, queued: 1 })).toBe('accepted');
      expect(await enter({}, { perThread: 1, queued: 1 })).toBe('accepted');
      expect(await enter({}, { perThread: 1, queued: 1 })).toEqual(ofThread);
      // A busy thread accepts a run with a start time.
      expect(await enter(later, { perThread: 3, queued: 4 })).toBe('accepted');
      expect(await state.runs.unfinished()).toHaveLength(6);
    }));

  test('an idempotency key is valid for its owner and for 24 hours', () =>
    opened(async (state) => {
      const idempotency = { key: 'k', digest: 'd' };
      const keyed = () => ({ ...newRun(), createdAt: Date.now(), idempotency });
      const { runId, threadId, messageId } = (await accepted(state, keyed())).run;
      const same = { outcome: 'repeated', runId, threadId, messageId } as const;
      const { coordination } = state;
      expect(await coordination.accept(keyed(), ROOM)).toEqual(same);
      expect(await coordination.findByIdempotencyKey('ann', idempotency)).toEqual(same);
      expect(await coordination.findByIdempotencyKey('ann', { key: 'k', digest: 'other' })).toEqual({
        outcome: 'mismatch',
      });
      expect(await coordination.findByIdempotencyKey('bob', idempotency)).toBeUndefined();
      const old = { key: 'old', digest: 'd' };
      await accepted(state, { ...newRun(), createdAt: Date.now() - 25 * 3_600_000, idempotency: old });
      expect(await coordination.findByIdempotencyKey('ann', old)).toBeUndefined();
    }));

  test('two concurrent requests with one idempotency key create one run', () =>
    opened(async (state) => {
      const idempotency = { key: 'k', digest: 'd' };
      const both = [newRun(), newRun()].map((run) =>
        state.coordination.accept({ ...run, createdAt: Date.now(), idempotency }, ROOM),
      );
      const outcomes = (await Promise.all(both)).map(({ outcome }) => outcome);
      expect(outcomes.toSorted()).toEqual(['accepted', 'repeated']);
      expect(await state.runs.unfinished()).toHaveLength(1);
    }));

  test('a waiting run can be ended without a claim until it is claimed', () =>
    opened(async (state) => {
      const waits = { ...ROOM, claim: false };
      const first = await accepted(state, newRun(), waits);
      await state.coordination.end(first.lease, failed(first.run, first.thread), false);
      expect((await state.runs.find('ann', first.run.runId))?.status).toBe('failed');
      const claimed = await accepted(state, newRun(), waits);
      const [claim] = await state.coordination.claim(1);
      const late = state.coordination.end(claimed.lease, failed(claimed.run, claimed.thread), false);
      await expect(late).rejects.toBeInstanceOf(LeaseLost);
      await state.coordination.end(leaseOf(claim), failed(claimed.run, claimed.thread), false);
    }));

  test('the next process claims the runs of a crashed one from their newest checkpoint', () =>
    opened(async (before, next) => {
      const { run, thread } = await accepted(before, newRun());
      const waiting = await accepted(before, newRun());
      const own = await checkpoint(before, thread, run, 'c');
      const inner = await checkpoint(before, thread, run, 'c', 'agent:1');
      let state = await next();
      const first = await state.coordination.claim(10);
      const deaths = { count: 1, newest: inner };
      expect(first).toMatchObject([
        {
          lease: { runId: run.runId, number: 2 },
          checkpoint: own,
          attempt: { number: 2, deaths },
        },
      ]);
      state = await next();
      const again = await state.coordination.claim(10);
      expect(again).toMatchObject([{ attempt: { number: 3, deaths: { count: 2, newest: inner } } }]);
      const more = await checkpoint(state, thread, run, 'd');
      state = await next();
      const [progressed] = await state.coordination.claim(10);
      expect(progressed).toMatchObject({
        checkpoint: more,
        attempt: { number: 4, deaths: { count: 1, newest: more } },
      });
      const ended = state.coordination.end(leaseOf(progressed), failed(run, thread), true);
      expect((await ended)?.lease.runId).toBe(waiting.run.runId);
    }));

  test('a released run keeps its position in the queue, and its next claim does not count as an attempt', () =>
    opened(async (before, next) => {
      const { run, lease, thread } = await accepted(before, newRun());
      await accepted(before, newRun());
      await before.coordination.spend(lease, { inputTokens: 5, outputTokens: 3 });
      const id = await checkpoint(before, thread, run, 'c');
      await before.coordination.release(lease);
      const state = await next();
      const [claim] = await state.coordination.claim(10);
      expect(claim).toMatchObject({
        lease: { runId: run.runId, number: 2 },
        checkpoint: id,
        attempt: { number: 1, deaths: { count: 0 } },
      });
      expect((await state.runs.find('ann', run.runId))?.usage).toEqual({ inputTokens: 5, outputTokens: 3 });
    }));

  test('a process that has lost a run cannot write checkpoints, usage or the end', () =>
    opened(async (before, next) => {
      const { run, lease, thread } = await accepted(before, newRun());
      const state = await next();
      const [claim] = await state.coordination.claim(1);
      const saved = { threadKey: thread.key, threadId: 't', head: null, emit: () => {} };
      const [late, current] = [lease, leaseOf(claim)].map((one) => state.saverOf({ ...saved, lease: one }));
      await state.coordination.spend(lease, { inputTokens: 9, outputTokens: 9 });
      await state.coordination.release(lease);
      await late?.put({ configurable: {} }, emptyCheckpoint('b'), METADATA, {});
      await expect(state.coordination.end(lease, failed(run, thread), false)).rejects.toBeInstanceOf(
        LeaseLost,
      );
      expect(() => late?.assertWritten()).toThrow(LeaseLost);
      await current?.put({ configurable: {} }, emptyCheckpoint('c'), METADATA, {});
      const kept = await Array.fromAsync(
        state.checkpointer.list({ configurable: { thread_id: thread.key } }),
      );
      expect(kept.map((tuple) => tuple.checkpoint.id)).toEqual(['c']);
      expect(() => current?.assertWritten()).not.toThrow();
      const found = await state.runs.find('ann', run.runId);
      expect(found).toMatchObject({ status: 'running', usage: { inputTokens: 0, outputTokens: 0 } });
    }));

  test('a run without a checkpoint cannot succeed, and its thread stays as it was', () =>
    opened(async (state) => {
      const { run, lease, thread } = await accepted(state, newRun());
      const ended = state.coordination.end(lease, succeeded(run, thread), false);
      await expect(ended).rejects.toThrow('has no checkpoint');
      expect(await state.runs.find('ann', run.runId)).toMatchObject({ status: 'running' });
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head: null, messageCount: 0 });
    }));

  test('a stop reaches the process that executes the run, or the one that claims it later', () =>
    opened(async (before, next) => {
      const notified: [string, StopReason][] = [];
      const { run, thread } = await accepted(before, newRun());
      const waiting = await accepted(before, newRun());
      const leave = watchStops(before, (...one) => notified.push(one));
      await before.coordination.requestStop(run.runId, 'cancel');
      await before.coordination.requestStop(waiting.run.runId, 'cancel');
      leave();
      await before.coordination.requestStop(run.runId, 'cancel');
      expect(notified).toEqual([
        [run.runId, 'cancel'],
        [waiting.run.runId, 'cancel'],
      ]);
      const state = await next();
      const [claim] = await state.coordination.claim(10);
      expect(claim).toMatchObject({ lease: { runId: run.runId }, stop: 'cancel' });
      const after = await state.coordination.end(leaseOf(claim), failed(run, thread), true);
      expect(after).toMatchObject({ lease: { runId: waiting.run.runId }, stop: 'cancel' });
    }));

  test('a superseding run stops the running one and other superseding ones, but not ordinary waiting runs', () =>
    opened(async (state) => {
      const superseding = () => ({ ...newRun(), request: { ...newRun().request, supersedes: true } });
      const running = await accepted(state, newRun());
      const waiting = await accepted(state, newRun());
      const notified: string[] = [];
      watchStops(state, (runId) => notified.push(runId));
      const first = await accepted(state, superseding());
      expect(notified.splice(0)).toEqual([running.run.runId]);
      await accepted(state, superseding());
      expect(notified.toSorted()).toEqual([running.run.runId, first.run.runId].toSorted());
      expect(notified).not.toContain(waiting.run.runId);
    }));

  test.each(['interrupt', 'rollback'] as const)(
    "a run of LangGraph's protocol with %s stops the others of its thread",
    (strategy) =>
      opened(async (state) => {
        const stopped: string[] = [];
        watchStops(state, (runId, reason) => stopped.push(`${runId} ${reason}`));
        const running = await accepted(state, newRun());
        const waiting = await accepted(state, protocolRun('enqueue'));
        expect(stopped).toEqual([]);
        await accepted(state, protocolRun(strategy));
        const reason = strategy === 'rollback' ? 'rollback' : 'cancel';
        expect(stopped.toSorted()).toEqual(
          [running, waiting].map(({ run }) => `${run.runId} ${reason}`).toSorted(),
        );
      }),
  );

  test('a thread that waits for a person rejects a new turn with its question, and accepts an answer to it', () =>
    opened(async (state) => {
      const interrupted = await storedTurn(state, { ends: 'interrupted' });
      const used = { inputTokens: 0, outputTokens: 0 };
      const answering = (runId: string) => {
        const run = newRun();
        return { ...run, request: { ...run.request, resume: { runId, values: { i: 1 }, used } } };
      };
      const { accept } = state.coordination;
      expect(await accept(newRun(), ROOM)).toEqual({ outcome: 'interrupted', value: 'Really?' });
      expect(await accept(answering('another'), ROOM)).toEqual({ outcome: 'answered' });
      const run = answering(interrupted.run.runId);
      const { thread, lease } = await accepted(state, run);
      const outcome = { ...failed(run, thread).outcome, status: 'cancelled' as const, partial: 'Half' };
      await state.coordination.end(lease, { ...failed(run, thread), outcome } as RunEnd, false);
      // The message id belongs to the final answer.
      expect(await state.messages.find('ann', run.messageId)).toBeUndefined();
      expect((await state.threads.byKey(thread.key))?.messageCount).toBe(2);
    }));

  test('a thread that stopped before a node rejects a new turn without a question', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      await checkpoint(state, thread, run, 'x');
      const { outcome, ...end } = succeeded(run, thread);
      if (outcome.status !== 'succeeded') throw new Error(outcome.status);
      const stoppedAt = [{ agent: 'a', when: 'before' as const, path: [] }];
      const stopped = {
        ...outcome,
        status: 'interrupted' as const,
        result: { ...outcome.result, stoppedAt },
      };
      await state.coordination.end(lease, { ...end, outcome: stopped }, false);
      expect(await state.coordination.accept(newRun(), ROOM)).toEqual({
        outcome: 'interrupted',
        value: null,
      });
    }));

  test('a run can give its thread a time to live', () =>
    opened(async (state) => {
      const threadTtl = { minutes: 1, strategy: 'delete' as const };
      const { run, thread, lease } = await accepted(state, { ...newRun(), threadTtl });
      await state.coordination.end(lease, failed(run, thread), false);
      const expired = await state.archive.removal.expired(Date.now(), 10);
      expect(expired.map(({ threadId, strategy }) => [threadId, strategy])).toEqual([['t', 'delete']]);
    }));

  test("the end of a failed run of LangGraph's protocol claims the next turn, and a lost one changes nothing", () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, protocolRun('enqueue'));
      const waiting = await accepted(state, newRun());
      const lost = { ...lease, number: 9 };
      await expect(state.coordination.end(lost, failed(run, thread), true)).rejects.toBeInstanceOf(LeaseLost);
      const next = await state.coordination.end(lease, failed(run, thread), true);
      expect(next?.lease.runId).toBe(waiting.run.runId);
      await state.coordination.end(leaseOf(next), failed(waiting.run, thread), false);
      const last = await accepted(state, protocolRun('enqueue'));
      const unstarted = { ...failed(last.run, thread), started: false };
      expect(await state.coordination.end(last.lease, unstarted, true)).toBeUndefined();
      const again = await accepted(state, protocolRun('enqueue'));
      expect(await state.coordination.end(again.lease, failed(again.run, thread), true)).toBeUndefined();
    }));

  test('the writes of a turn to delta channels stay readable after its end and after later turns', () =>
    opened(async (state) => {
      const written: unknown[] = [];
      const counters_since_delta_snapshot = { log: [1, 1] as [number, number] };
      let head: string | undefined;
      let steps = 0;
      const turn = async (
        ends: (end: () => ReturnType<State['coordination']['end']>) => Promise<unknown>,
      ) => {
        const { run, thread, lease } = await accepted(state, newRun());
        const place = { threadKey: thread.key, threadId: 't', head: thread.head, emit: () => {} };
        const saver = state.saverOf({ ...place, lease });
        for (const step of ['a', 'b']) {
          const id = `delta-${String(steps++).padStart(4, '0')}`;
          const checkpoint = { ...emptyCheckpoint(id), channel_versions: { log: steps } };
          const metadata = { ...METADATA, counters_since_delta_snapshot };
          await saver.put({ configurable: { checkpoint_id: head } }, checkpoint, metadata, {});
          head = id;
          if (step === 'b') continue;
          await saver.putWrites({ configurable: { checkpoint_id: id } }, [['log', [id]]], 'task');
          written.push([id]);
        }
        await ends(() => state.coordination.end(lease, succeeded(run, thread), true));
        const config = { configurable: { thread_id: thread.key, checkpoint_id: head } };
        const histories = await state.checkpointer.getDeltaChannelHistory({ config, channels: ['log'] });
        expect(histories.log?.writes.map(([, , value]) => value)).toEqual(written);
        return thread;
      };
      for (let n = 0; n < 9; n++) await turn((end) => end());
      await turn(async (end) => {
        const waiting = await accepted(state, newRun());
        // PostgreSQL settles the writes before the next turn of the thread can be claimed.
        const next = (await end()) ?? (await state.coordination.claim(1))[0];
        expect(next?.lease.runId).toBe(waiting.run.runId);
        await state.coordination.end(leaseOf(next), failed(waiting.run, waiting.thread), false);
      });
    }));

  test('a closed thread rejects turns and its runs are requested to stop; the next process reopens it', () =>
    opened(async (before, next) => {
      const notified: string[] = [];
      const { run, thread, lease } = await accepted(before, newRun());
      watchStops(before, (runId) => notified.push(runId));
      expect(await before.coordination.closeThread(thread.key)).toEqual([run.runId]);
      expect(notified).toEqual([run.runId]);
      expect(await before.coordination.accept(newRun(), ROOM)).toEqual({ outcome: 'closing' });
      await before.coordination.end(lease, failed(run, thread), false);
      expect(await before.coordination.closeThread(thread.key)).toEqual([]);
      await before.coordination.openThread(thread.key);
      const reopened = await accepted(before, newRun());
      await before.coordination.closeThread(thread.key);
      const state = await next();
      expect((await accepted(state, newRun())).claim).toBeUndefined();
      expect((await state.coordination.claim(1))[0]?.lease.runId).toBe(reopened.run.runId);
    }));
}

const METADATA = { source: 'loop' as const, step: 0, parents: {} };

function emptyCheckpoint(id: string) {
  return { v: 4, id, ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} };
}

function leaseOf(claim: { lease: Lease } | undefined): Lease {
  if (!claim) throw new Error('nothing was claimed');
  return claim.lease;
}

export function newRun(): NewRun {
  return {
    runId: Bun.randomUUIDv7(),
    messageId: Bun.randomUUIDv7(),
    owner: 'ann',
    threadId: 't',
    title: 'Title',
    workflow: 'w',
    request: { userPrompt: 'A question?', deadlineSeconds: 1, requestId: 'r' },
    createdAt: 1,
  };
}

function protocolRun(strategy: 'enqueue' | 'interrupt' | 'rollback'): NewRun {
  const run = newRun();
  const options = { metadata: {}, strategy, streamModes: [], streamSubgraphs: false };
  return { ...run, request: { ...run.request, protocol: { assistantId: 'a', ...options } } };
}

function failed(run: NewRun, thread: Thread): RunEnd {
  return failedEnd({ run, thread });
}

function succeeded(run: NewRun, thread: Thread): RunEnd {
  const answer = { agentResponse: 'Yes.', outputs: [], followupQuestions: {}, memorySummary: '', model: 'm' };
  const memory = { messages: 2, tokens: 5, summary: '' };
  return {
    ...failed(run, thread),
    outcome: { status: 'succeeded', result: { ...answer, interrupts: [], stoppedAt: [] }, memory },
  };
}

function watchStops({ coordination }: State, listen: (runId: string, reason: StopReason) => void) {
  return coordination.watch((hint) => {
    if (hint.kind === 'stop') listen(hint.runId, hint.reason);
  });
}
