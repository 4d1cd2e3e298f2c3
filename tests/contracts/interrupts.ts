/** The contract of waiting threads and of heads that are moved outside of a run. */
import { expect, test } from 'bun:test';
import { errorBody, SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { NewRun, RunEnd } from '../../state/threads/runs.ts';
import type { Interrupt, Thread } from '../../state/threads/threads.ts';
import { accepted, checkpoint, ROOM, storedTurn } from './turn.ts';

export function interruptsContract(open: () => Promise<{ state: State; close: () => Promise<void> }>): void {
  async function opened(use: (state: State) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  test('an interrupt blocks the thread, and dropping it restores the previous head', () =>
    opened(async (state) => {
      const { head } = await storedTurn(state);
      const { run, thread, lease } = await accepted(state, newRun());
      await checkpoint(state, thread, run, 'i');
      const interrupt = question({ question: 'Really?' });
      const outcome = { ...asking(interrupt), status: 'interrupted' as const };
      await state.coordination.end(lease, { ...ending(run, thread), outcome }, false);
      expect(await state.coordination.accept(newRun(), ROOM)).toEqual({
        outcome: 'interrupted',
        value: { question: 'Really?' },
      });
      expect(await state.threads.dropInterrupt(thread.key, 'another run')).toBe(true);
      expect(await state.threads.byKey(thread.key)).toMatchObject({ interrupt: { runId: run.runId } });
      expect(await state.threads.dropInterrupt(thread.key, run.runId)).toBe(true);
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head, interrupt: null });
    }));

  test('a failed or aborted answer keeps the question and the work of finished agents', () =>
    opened(async (state) => {
      const { run, thread, lease } = await accepted(state, newRun());
      const id = await checkpoint(state, thread, run, 'x');
      const config = { configurable: { thread_id: thread.key, checkpoint_ns: '', checkpoint_id: id } };
      const writes = async () => {
        const tuple = await state.checkpointer.getTuple(config);
        return (tuple?.pendingWrites ?? []).map(([task, channel, value]) => `${task} ${channel} ${value}`);
      };
      await state.checkpointer.putWrites(config, [['__interrupt__', 'first?']], 'asking');
      await state.checkpointer.putWrites(config, [['word', 'done']], 'finished');
      const interrupt = question('first?');
      const waits = { ...asking(interrupt), status: 'interrupted' as const };
      await state.coordination.end(lease, { ...ending(run, thread), outcome: waits }, false);
      const before = await writes();
      const used = { inputTokens: 0, outputTokens: 0 };
      const resume = { runId: run.runId, values: { i: 'yes' }, used };
      const answering = { ...newRun(), request: { ...newRun().request, resume } };
      const { thread: waiting, lease: answer } = await accepted(state, answering);
      expect(await state.threads.dropInterrupt(thread.key, run.runId)).toBe(false);
      await state.checkpointer.putWrites(
        config,
        [
          ['__resume__', ['yes']],
          ['__interrupt__', 'second?'],
        ],
        'asking',
      );
      await state.checkpointer.putWrites(config, [['word', 'late']], 'slow');
      await state.threads.rewindInterrupt(thread.key);
      expect(await writes()).toEqual([...before, 'slow word late'].toSorted());
      const error = errorBody(new SkeinError('MODEL_CALL_FAILED'), 'r');
      const failed = { status: 'failed' as const, error };
      await state.coordination.end(answer, { ...ending(answering, waiting), outcome: failed }, false);
      expect(await writes()).toEqual(before);
      const again = {
        ...newRun(),
        request: { ...newRun().request, resume: { ...resume, runId: 'another' } },
      };
      expect(await state.coordination.accept(again, ROOM)).toEqual({ outcome: 'answered' });
      await state.threads.dropInterrupt(thread.key);
      expect((await state.runs.find('ann', run.runId))?.status).toBe('cancelled');
      expect(await state.checkpointer.getTuple(config)).toBeUndefined();
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head: null, interrupt: null });
    }));

  test('moves the head outside of a run, and waits if the graph has not ended', () =>
    opened(async (state) => {
      const first = await storedTurn(state, { at: 1 });
      const { key } = first.thread;
      const head = await checkpoint(state, first.thread, first.run, 'moved');
      const stoppedAt = [{ agent: 'a', when: 'before' as const, path: [] }];
      expect(await state.threads.moveHead(key, { head, stoppedAt, workflow: 'v', at: 7 })).toBe(true);
      expect(await state.threads.byKey(key)).toMatchObject({
        ...{ head, workflow: 'v', updatedAt: 7, keepsAll: true },
        interrupt: { interrupts: [], stoppedAt, runId: first.run.runId, headBefore: first.head },
      });
      expect(
        await state.threads.moveHead(key, { head: undefined, stoppedAt: [], workflow: 'w', at: 8 }),
      ).toBe(true);
      expect(await state.threads.byKey(key)).toMatchObject({ head, workflow: 'v', updatedAt: 8 });
    }));

  test('does not move the head during a run, and deletes the new checkpoint', () =>
    opened(async (state) => {
      const { thread, head, run } = await storedTurn(state);
      await storedTurn(state, { ends: 'accepted' });
      const late = await checkpoint(state, thread, run, 'late');
      const to = { head: late, stoppedAt: [], workflow: 'v', at: 7 };
      expect(await state.threads.moveHead(thread.key, to)).toBe(false);
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head, workflow: 'w', keepsAll: false });
      const left = await Array.fromAsync(
        state.checkpointer.list({ configurable: { thread_id: thread.key } }),
      );
      expect(left.map((tuple) => tuple.checkpoint.id)).toEqual([head]);
    }));

  test('dropping a question keeps later writes from outside of a run', () =>
    opened(async (state) => {
      const asks = await storedTurn(state, { ends: 'interrupted' });
      const { key } = asks.thread;
      const run = { ...asks.run, runId: 'none' };
      const head = await checkpoint(state, asks.thread, run, 'changed');
      await state.threads.moveHead(key, { head, stoppedAt: [], workflow: 'w', at: 7 });
      const again = await storedTurn(state, { ends: 'interrupted' });
      const changed = await checkpoint(state, again.thread, run, 'changed');
      expect(await state.threads.dropInterrupt(key)).toBe(true);
      expect(await state.threads.byKey(key)).toMatchObject({ head: again.head, interrupt: null });
      const left = await Array.fromAsync(state.checkpointer.list({ configurable: { thread_id: key } }));
      expect(left.map((tuple) => tuple.checkpoint.id)).toContain(changed);
    }));

  test('a question of any text survives a failed answer and can be dropped', () =>
    opened(async (state) => {
      const before = await storedTurn(state);
      const { run, thread, lease } = await accepted(state, newRun());
      await checkpoint(state, thread, run, 'i');
      const text = 'NUL \0, half a pair \ud83d, "quotes" \\u0000';
      const outcome = { ...asking(question(text)), status: 'interrupted' as const };
      await state.coordination.end(lease, { ...ending(run, thread), outcome }, false);
      await state.threads.rewindInterrupt(thread.key);
      expect((await state.threads.byKey(thread.key))?.interrupt?.interrupts[0]?.value).toBe(text);
      expect(await state.threads.dropInterrupt(thread.key, run.runId)).toBe(true);
      expect(await state.threads.byKey(thread.key)).toMatchObject({ head: before.head, interrupt: null });
    }));
}

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

function question(value: unknown): Interrupt {
  return { interruptId: 'i', value, agent: 'asking', path: [] };
}

function asking(interrupt: Interrupt) {
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
    result: { ...answer, interrupts: [interrupt], stoppedAt: [] },
    memory,
  };
}
