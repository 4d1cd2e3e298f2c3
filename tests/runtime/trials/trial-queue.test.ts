/** Trials of a caller: where they are rejected, and how they end. */
import { expect, test } from 'bun:test';
import { slots } from '../../../runtime/queue/slots.ts';
import { trialQueue } from '../../../runtime/trials/trial-queue.ts';

const LIMITS = { queued_runs: 1, queue_seconds: 60, run_seconds: 60 };

function queueOf(size: number, perCaller?: number) {
  const pool = slots(size);
  const limits = LIMITS as Parameters<typeof trialQueue>[0]['limits'];
  const parts = { what: 'dry run', purpose: 'try a prompt file', limits, slots: pool };
  return { pool, queue: trialQueue({ ...parts, ...(perCaller !== undefined && { perCaller }) }) };
}

const caller = (owner: string, signal = new AbortController().signal) => ({ owner, signal });
const work = async () => 'done';

test('a server that executes no runs rejects trials', async () => {
  const { queue } = queueOf(0);
  await expect(queue.run(caller('ann'), work)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: "This server doesn't execute runs, so it cannot try a prompt file",
  });
});

test('a trial is rejected if the queue is full, and accepted when a slot is free', async () => {
  const { pool, queue } = queueOf(1);
  const [running, waiting] = [pool.request(), pool.request()];
  await expect(queue.run(caller('ann'), work)).rejects.toMatchObject({ code: 'OVERLOADED' });
  waiting.release();
  running.release();
  expect(await queue.run(caller('ann'), work)).toBe('done');
});

test('a caller can have a limited number of trials, and can start another one when one has ended', async () => {
  const { queue } = queueOf(3, 2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const trials = [queue.run(caller('ann'), () => promise), queue.run(caller('ann'), () => promise)];
  await expect(queue.run(caller('ann'), work)).rejects.toMatchObject({
    message: 'Another dry run of yours is under way, try again when it has ended',
  });
  expect(await queue.run(caller('bob'), work)).toBe('done');
  resolve();
  await Promise.all(trials);
  expect(await queue.run(caller('ann'), work)).toBe('done');
});

test('a trial of a caller who has disconnected, or of a stopped queue, does not run', async () => {
  const { pool, queue } = queueOf(1);
  const aborted = AbortSignal.abort();
  await expect(queue.run(caller('ann', aborted), work)).rejects.toMatchObject({ code: 'RUN_CANCELLED' });
  const running = pool.request();
  const waiting = queue.run(caller('ann'), work);
  queue.stop();
  await expect(waiting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await queue.settled();
  running.release();
  expect(pool.inUse()).toBe(0);
});

test('an error in a part of a trial stops the other parts', async () => {
  const { queue } = queueOf(1);
  let signal: AbortSignal | undefined;
  const failing = queue.run(caller('ann'), async (trialSignal) => {
    signal = trialSignal;
    throw new Error('one part failed');
  });
  await expect(failing).rejects.toThrow('one part failed');
  expect(signal?.aborted).toBe(true);
});
