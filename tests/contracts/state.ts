/** The contract of `State`. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import type { Lease } from '../../state/cluster/lease.ts';
import { errorBody, SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { EventBatch, LogEntry } from '../../state/threads/events.ts';
import type { NewRun, RunEnd } from '../../state/threads/runs.ts';
import type { Thread } from '../../state/threads/threads.ts';
import { accepted, checkpoint, failedEnd, storedTurn } from './turn.ts';

export function stateContract(open: () => Promise<{ state: State; close: () => Promise<void> }>): void {
  async function opened(use: (state: State) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  test('the first run creates its thread, and the next one uses it', () =>
    opened(async (state) => {
      const first = await accepted(state, newRun());
      expect(first.thread).toMatchObject({
        owner: 'ann',
        threadId: 't',
        title: 'Title',
        head: null,
        messageCount: 0,
      });
      const second = await accepted(state, newRun());
      expect(second.thread.key).toBe(first.thread.key);
      const foreign = await accepted(state, { ...newRun(), owner: 'bob' });
      expect(foreign.thread.key).not.toBe(first.thread.key);
    }));

  test('data of other owners is not found', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      await succeed(state, run, thread, lease);
      expect((await state.runs.find('ann', run.runId))?.status).toBe('succeeded');
      expect(await state.runs.find('bob', run.runId)).toBeUndefined();
      expect((await state.messages.find('ann', run.messageId))?.content).toBe('An answer.');
      expect(await state.messages.find('bob', run.messageId)).toBeUndefined();
    }));

  test('a successful run moves the head and stores its two messages', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      const head = await succeed(state, run, thread, lease);
      expect(await state.threads.byKey(thread.key)).toMatchObject({
        head,
        messageCount: 2,
        memory: { messages: 2 },
      });
      const stored = await state.runs.find('ann', run.runId);
      expect(stored).toMatchObject({
        usage: { inputTokens: 3, outputTokens: 4 },
        result: { agentResponse: 'An answer.' },
      });
      expect((await state.messages.find('ann', run.messageId))?.role).toBe('assistant');
    }));

  test('a failed run keeps the head and leaves no message and no checkpoint', () =>
    opened(async (state) => {
      const first = await accepted(state, newRun());
      const head = await succeed(state, first.run, first.thread, first.lease);
      const { run, thread, lease } = await accepted(state, newRun());
      await checkpoint(state, thread, run, 'f');
      const error = errorBody(new SkeinError('MODEL_CALL_FAILED'), 'r');
      await state.coordination.end(
        lease,
        { ...ending(run, thread), outcome: { status: 'failed', error } },
        false,
      );
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head, messageCount: 2 });
      expect(await state.messages.find('ann', run.messageId)).toBeUndefined();
      expect(await state.runs.find('ann', run.runId)).toMatchObject({ status: 'failed', error });
      const kept = await Array.fromAsync(
        state.checkpointer.list({ configurable: { thread_id: thread.key } }),
      );
      expect(kept.map((tuple) => tuple.checkpoint.id)).toEqual([head]);
    }));

  test('a run ends once; later ends have no effect', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      const head = await succeed(state, run, thread, lease);
      const error = errorBody(new SkeinError('RUN_CANCELLED'), 'r');
      await state.coordination.end(
        lease,
        { ...ending(run, thread), outcome: { status: 'cancelled', error, partial: '' } },
        false,
      );
      expect((await state.runs.find('ann', run.runId))?.status).toBe('succeeded');
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head });
    }));

  test('stores the usage so far for the process that continues the run; its end overwrites it', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      await state.coordination.spend(lease, { inputTokens: 5, outputTokens: 3 });
      expect(await state.runs.unfinished()).toMatchObject([{ usage: { inputTokens: 5, outputTokens: 3 } }]);
      await succeed(state, run, thread, lease);
      const { usage } = ending(run, thread);
      await state.coordination.spend(lease, { inputTokens: 5, outputTokens: 3 });
      expect(await state.runs.find('ann', run.runId)).toMatchObject({ usage });
    }));

  test('a success without a checkpoint is rejected completely', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      const end = { ...ending(run, thread), outcome: success() };
      expect(state.coordination.end(lease, end, false)).rejects.toThrow('no checkpoint');
      expect((await state.runs.find('ann', run.runId))?.status).toBe('running');
    }));

  test("after a failed run of LangGraph's protocol, the thread waits for the open interrupts at its head", () =>
    opened(async (state) => {
      const { checkpointer, coordination, threads } = state;
      const interruptsOf = (id: string) => [{ id, value: `${id}?` }];
      const of = (interruptId: string) => ({ interruptId, value: `${interruptId}?`, agent: 'a', path: [] });
      const first = await accepted(state, protocolRun());
      const { thread } = first;
      const id = await checkpoint(state, thread, first.run, 'x');
      const config = { configurable: { thread_id: thread.key, checkpoint_ns: '', checkpoint_id: id } };
      for (const task of ['i', 'j'])
        await checkpointer.putWrites(config, [['__interrupt__', interruptsOf(task)]], task);
      const { result, memory } = success();
      const waits = { ...result, interrupts: [of('i'), of('j')] };
      const outcome = { status: 'interrupted' as const, result: waits, memory };
      await coordination.end(first.lease, { ...ending(first.run, thread), outcome }, false);
      const before = (await threads.byKey(thread.key))?.interrupt;
      const writes = async () => (await checkpointer.getTuple(config))?.pendingWrites?.map(([, one]) => one);

      const failing = async (writes: [string, unknown][], task: string) => {
        const { run, thread, lease } = await accepted(state, protocolRun());
        await checkpointer.putWrites(config, writes, task);
        const error = errorBody(new SkeinError('INTERNAL_ERROR'), 'r');
        const failed = { status: 'failed' as const, error };
        await coordination.end(lease, { ...ending(run, thread), outcome: failed }, false);
        return threads.byKey(thread.key);
      };
      const answer: [string, unknown][] = [
        ['__resume__', ['no']],
        ['__error__', 'x'],
      ];
      const left = await failing(answer, 'i');
      expect(left).toMatchObject({ head: id, interrupt: { ...before, failedAnswer: true } });
      expect(await writes()).toEqual(['__interrupt__', '__resume__', '__error__', '__interrupt__']);
      // Remove the failed answer before the next one.
      await threads.rewindInterrupt(thread.key);
      expect(await writes()).toEqual(['__interrupt__', '__interrupt__']);
      // Finished tasks have no open interrupts.
      const one = await failing([['word', 'done']], 'j');
      expect(one?.interrupt).toEqual({ ...left?.interrupt, interrupts: [of('i')] } as never);
      expect((await failing([['word', 'done']], 'i'))?.interrupt).toBeNull();
    }));

  test('a cancelled turn stores its partial answer as a message and keeps the head', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      const error = errorBody(new SkeinError('RUN_CANCELLED'), 'r');
      const outcome = { status: 'cancelled' as const, error, partial: 'Half' };
      await state.coordination.end(lease, { ...ending(run, thread), outcome }, false);
      expect((await state.messages.find('ann', run.messageId))?.content).toBe('Half');
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head: null, messageCount: 2 });
    }));

  test('finds unfinished runs in the order of acceptance', () =>
    opened(async (state) => {
      const { run } = await accepted(state, newRun());
      const queued = await accepted(state, newRun());
      const done = await accepted(state, { ...newRun(), threadId: 'other' });
      await succeed(state, done.run, done.thread, done.lease);
      const left = await state.runs.unfinished();
      expect(left.map(({ runId, status }) => [runId, status])).toEqual([
        [run.runId, 'running'],
        [queued.run.runId, 'queued'],
      ]);
      expect(left[0]?.request).toEqual(run.request);
    }));

  test('statistics cover ended runs, newest first', () =>
    opened(async (state) => {
      for (const [at, fails] of [
        [1, true],
        [2, false],
        [3, true],
        [4, true],
      ] as const) {
        const { run, thread, lease } = await accepted(state, newRun(at));
        const error = errorBody(new SkeinError('INTERNAL_ERROR'), 'r');
        if (fails)
          await state.coordination.end(
            lease,
            { ...ending(run, thread), outcome: { status: 'failed', error } },
            false,
          );
        else await succeed(state, run, thread, lease);
      }
      await accepted(state, newRun(5));
      expect(await state.runs.statistics('w')).toEqual({
        succeeded: 1,
        failed: 3,
        failedInARow: 2,
        lastRunAt: 4,
        durations: [98],
      });
    }));

  test("reads a run's log in order after any entry or chat number", () =>
    opened(async (state) => {
      const { run, lease } = await accepted(state, newRun());
      // Chat shows the entries 1, 3 and 5.
      const batches = [
        batch({ first: 1, last: 2 }, { first: 1, last: 1 }),
        batch({ first: 3, last: 4 }, { first: 2, last: 2 }),
        batch({ first: 5, last: 5 }, { first: 3, last: 3 }),
        batch({ first: 6, last: 6 }, { first: 4, last: 3 }),
      ] as const;
      const [one, two, three, four] = batches;
      await state.events.append(lease, () => [one], 'soon');
      await Promise.all([two, three].map((batch) => state.events.append(lease, () => [batch], 'now')));
      await state.events.append(lease, () => [four], 'soon');
      await state.events.append(lease, () => [one], 'now');
      const from = (entry: number, limit = 10) => state.events.read(run.runId, { entry }, limit);
      expect(await from(0)).toEqual([...batches]);
      expect(await from(0, 1)).toEqual([one]);
      expect(await from(1)).toEqual([...batches]);
      expect(await from(2)).toEqual([two, three, four]);
      expect(await from(4, 1)).toEqual([three]);
      expect(await from(6)).toEqual([]);
      const after = (chat: number, limit = 10) => state.events.read(run.runId, { chat }, limit);
      expect(await after(0)).toEqual([...batches]);
      expect(await after(1, 1)).toEqual([two]);
      expect(await after(2)).toEqual([three, four]);
      expect(await after(3)).toEqual([]);
    }));

  test('a missing batch does not affect those before and after it', () =>
    opened(async (state) => {
      const { run, lease } = await accepted(state, newRun());
      const [one, three] = [shown(1, 2), shown(5, 6)];
      await state.events.append(lease, () => [one], 'now');
      await state.events.append(lease, () => [three], 'now');
      for (const after of [0, 1]) {
        expect(await state.events.read(run.runId, { entry: after }, 10)).toEqual([one, three]);
        expect(await state.events.read(run.runId, { chat: after }, 10)).toEqual([one, three]);
      }
      for (const after of [2, 3, 4, 5]) {
        expect(await state.events.read(run.runId, { entry: after }, 10)).toEqual([three]);
        expect(await state.events.read(run.runId, { chat: after }, 10)).toEqual([three]);
      }
    }));

  test('entries of all runs of a thread have unique numbers within the thread', () =>
    opened(async (state) => {
      const [a, b, other] = [newRun(), newRun(), { ...newRun(), threadId: 'other' }];
      const { thread, lease } = await accepted(state, a);
      const { lease: second } = await accepted(state, b);
      const elsewhere = await accepted(state, other);
      await state.events.append(lease, () => [shown(1, 2)], 'soon');
      await state.events.append(second, () => [shown(1, 3)], 'soon');
      await state.events.append(elsewhere.lease, () => [shown(1, 1)], 'soon');
      await state.events.append(lease, () => [shown(3, 3)], 'now');
      await state.events.append(lease, () => [shown(1, 2)], 'now');
      await checkpoint(state, thread, b, 'end');
      const end = { ...ending(b, thread), events: [shown(4, 5)], outcome: success() };
      await state.coordination.end(second, end, false);
      const read = async (after: number, limit = 10) =>
        (await state.events.readThread(thread.key, after, limit)).map(({ runId, first, last, seq }) => [
          runId === a.runId ? 'a' : 'b',
          ...[first, last, seq],
        ]);
      const all = [
        ['a', 1, 2, 1],
        ['b', 1, 3, 3],
        ['a', 3, 3, 6],
        ['b', 4, 5, 7],
      ];
      expect(await read(0)).toEqual(all);
      expect(await read(0, 2)).toEqual(all.slice(0, 2));
      for (const [after, gone] of Object.entries({ 1: 0, 2: 1, 4: 1, 5: 2, 6: 3, 7: 3, 8: 4 }))
        expect(await read(Number(after))).toEqual(all.slice(gone));
      const others = await state.events.readThread(elsewhere.thread.key, 0, 10);
      expect(others).toEqual([{ ...shown(1, 1), runId: other.runId, seq: 1 }]);
    }));

  test("a thread's log contains state changes between its runs, but not rejected ones", () =>
    opened(async (state) => {
      const { thread } = await storedTurn(state, { threadId: 'changed' });
      const move = (head: string | undefined, at: number, { key } = thread) =>
        state.threads.moveHead(key, { head, stoppedAt: [], workflow: 'w', at });
      expect(await move('c1', 11)).toBe(true);
      const { run, lease } = await accepted(state, { ...newRun(), threadId: 'changed' });
      expect(await move('never', 12)).toBe(false);
      await state.events.append(lease, () => [shown(1, 2)], 'now');
      await state.coordination.end(lease, failedEnd({ run, thread }), false);
      expect(await move(undefined, 13)).toBe(true);
      const other = await storedTurn(state, { threadId: 'other' });
      expect(await move('c2', 14, other.thread)).toBe(true);
      const read = (after: number, limit = 10) => state.events.readThread(thread.key, after, limit);
      const all = await read(0);
      expect(all.map(({ runId, seq, first, last }) => [runId === null, seq, first, last])).toEqual([
        [false, 1, 1, 1],
        [true, 2, 1, 1],
        [false, 3, 1, 2],
        [true, 5, 1, 1],
      ]);
      const [, changed, , again] = all.map(({ entries }) => entries);
      expect(changed).toEqual([{ at: 11, kind: 'state', body: { checkpoint: 'c1' } }]);
      expect(again).toEqual([{ at: 13, kind: 'state', body: { checkpoint: 'c1' } }]);
      for (const [after, gone] of Object.entries({ 1: 1, 2: 2, 3: 2, 4: 3, 5: 4 })) {
        expect(await read(Number(after))).toEqual(all.slice(gone));
        expect(await read(Number(after), 1)).toEqual(all.slice(gone, gone + 1));
      }
    }));

  test('deletes old checkpoints, so that a thread does not grow without limit', () =>
    opened(async (state) => {
      let key = '';
      for (let turn = 0; turn < 100; turn++) {
        const { run, thread, lease } = await accepted(state, newRun());
        for (const step of ['a', 'b', 'c']) await checkpoint(state, thread, run, step);
        await succeed(state, run, thread, lease);
        key = thread.key;
      }
      const kept = await Array.fromAsync(state.checkpointer.list({ configurable: { thread_id: key } }));
      expect(kept.length).toBeGreaterThanOrEqual(20);
      expect(kept.length).toBeLessThan(20 + 8 * 4 + 1);
      expect(kept[0]?.checkpoint.channel_values).toEqual({ word: 'end' });
    }));
}

/** A batch of entries, with chat numbers for those that chat shows. */
function batch(numbers: { first: number; last: number }, chat: EventBatch['chat']): EventBatch {
  const entries = Array.from({ length: numbers.last - numbers.first + 1 }, (_, index): LogEntry => {
    const at = numbers.first + index;
    return { at, kind: 'message', node: 'a', body: { delta: `${at}` } };
  });
  return { ...numbers, chat, entries };
}

const shown = (first: number, last: number) => batch({ first, last }, { first, last });

function newRun(createdAt = 1): NewRun {
  return {
    runId: Bun.randomUUIDv7(),
    messageId: Bun.randomUUIDv7(),
    owner: 'ann',
    threadId: 't',
    title: 'Title',
    workflow: 'w',
    request: { userPrompt: 'A question?', deadlineSeconds: 1, requestId: 'r' },
    createdAt,
  };
}

function protocolRun(): NewRun {
  const run = newRun();
  const options = { metadata: {}, strategy: 'enqueue' as const, streamModes: [], streamSubgraphs: false };
  return { ...run, request: { ...run.request, protocol: { assistantId: 'a', ...options } } };
}

function ending(run: NewRun, thread: Thread): Omit<RunEnd, 'outcome'> {
  const usage = { inputTokens: 3, outputTokens: 4 };
  return {
    run: { ...run, threadKey: thread.key },
    started: true,
    before: thread,
    finishedAt: 100,
    usage,
    agents: [],
    events: [],
  };
}

function success() {
  const memory = { messages: 2, tokens: 5, summary: '' };
  const answer = {
    agentResponse: 'An answer.',
    outputs: [],
    followupQuestions: {},
    memorySummary: '',
    model: 'm',
  };
  return {
    status: 'succeeded' as const,
    result: { ...answer, interrupts: [], stoppedAt: [] },
    memory,
  };
}

async function succeed(state: State, run: NewRun, thread: Thread, lease: Lease): Promise<string> {
  const head = await checkpoint(state, thread, run, 'end');
  await state.coordination.end(lease, { ...ending(run, thread), outcome: success() }, false);
  return head;
}
