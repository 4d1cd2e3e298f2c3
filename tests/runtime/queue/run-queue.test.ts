/** The run queue on a real state: no run waits while a slot is free, and no slot is lost. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type RunQueue, runQueue } from '../../../runtime/queue/run-queue.ts';
import { type Slots, slots } from '../../../runtime/queue/slots.ts';
import { type Lease, LeaseLost } from '../../../state/cluster/lease.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import type { Acceptance } from '../../../state/threads/coordination.ts';
import type { NewRun } from '../../../state/threads/runs.ts';
import { failedEnd, ROOM } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-turns-'));
let state: OpenedState;
let pool: Slots;
let queue: RunQueue;
let takenOver: Lease[];
beforeEach(() => {
  takenOver = [];
  state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  pool = slots(1);
  queue = runQueue({
    coordination: state.coordination,
    slots: pool,
    limits: { perThread: 10, queued: 10 },
    async takeOver(claim) {
      takenOver.push(claim.lease);
      throw new Error('no other process is there');
    },
    log: pino({ level: 'silent' }),
  });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

function newRun(threadId: string, supersedes?: boolean): NewRun {
  return {
    runId: Bun.randomUUIDv7(),
    messageId: Bun.randomUUIDv7(),
    owner: 'ann',
    threadId,
    title: '',
    workflow: 'w',
    request: { userPrompt: '?', deadlineSeconds: 1, requestId: 'r', ...(supersedes && { supersedes }) },
    createdAt: 1,
  };
}

function claimOf(acceptance: Acceptance) {
  if (acceptance.outcome !== 'accepted' || !acceptance.claim) throw new Error('the run was not claimed');
  return acceptance.claim;
}

test('a queued run starts when work other than a run releases its slot', async () => {
  const request = queue.requestSlot();
  await request.granted;
  const { acceptance, claimed } = await queue.accept(newRun('a'), 'enqueue');
  expect(acceptance).toMatchObject({ outcome: 'accepted', claim: undefined });
  request.release();
  expect((await claimed).thread.threadId).toBe('a');
  expect(pool.inUse()).toBe(1);
});

test('other work gets a slot before the runs that were queued after it', async () => {
  const run = newRun('a');
  const { thread, lease } = claimOf((await queue.accept(run, 'enqueue')).acceptance);
  const request = queue.requestSlot();
  const next = await queue.accept(newRun('b'), 'enqueue');
  await queue.end(lease, failedEnd({ run, thread }), true);
  await request.granted;
  expect(queue.waiting()).toBe(1);
  request.release();
  expect((await next.claimed).thread.threadId).toBe('b');
});

test('many runs on many threads all execute, and the slots are free at the end', async () => {
  const runs = Array.from({ length: 9 }, (_, n) => newRun(`t${n % 3}`));
  const ended: string[] = [];
  await Promise.all(
    runs.map(async (run) => {
      const { claimed } = await queue.accept(run, 'enqueue');
      const { lease, thread } = await claimed;
      ended.push(thread.threadId);
      await queue.end(lease, failedEnd({ run, thread }), true);
    }),
  );
  expect(ended.toSorted()).toEqual(runs.map(({ threadId }) => threadId).toSorted());
  expect([pool.inUse(), queue.waiting()]).toEqual([0, 0]);
});

test.each([
  ['that is no longer queued', false],
  ['while the queue closes', true],
])('a claim of a run %s is released', async (_, closes) => {
  const run = newRun('a');
  const { lease, thread } = claimOf((await queue.accept(run, 'enqueue')).acceptance);
  const other = newRun('b');
  const waiting = await queue.accept(other, 'enqueue');
  const end = queue.end(lease, failedEnd({ run, thread }), true);
  waiting.dequeue();
  if (closes) queue.close();
  await end;
  await queue.settled();
  expect(pool.inUse()).toBe(0);
  expect((await state.runs.find('ann', other.runId))?.status).toBe('queued');
});

test('a queued run that another process has claimed and released is taken over, not started from the beginning', async () => {
  const request = queue.requestSlot();
  await request.granted;
  const run = newRun('a');
  const { claimed } = await queue.accept(run, 'enqueue');
  const [otherClaim] = await state.coordination.claim(1);
  if (!otherClaim) throw new Error('the run cannot be claimed');
  await state.coordination.release(otherClaim.lease);
  request.release();
  expect(await claimed.catch((error) => error)).toBeInstanceOf(LeaseLost);
  await queue.settled();
  expect(takenOver).toEqual([{ runId: run.runId, number: 2 }]);
});

test('a run that is superseded while it is being accepted is stopped once it is active', async () => {
  const accepted = new Set<string>();
  const notified: string[] = [];
  state.coordination.watch((hint) => {
    if (hint.kind === 'stop' && accepted.has(hint.runId)) notified.push(hint.runId);
  });
  const first = newRun('a');
  const acceptances = [first, newRun('a', true)].map(async (run, index) => {
    await queue.accept(run, index === 0 ? 'enqueue' : 'supersede');
    accepted.add(run.runId);
  });
  await Promise.all(acceptances);
  await until(() => notified.length > 0);
  expect(notified).toEqual([first.runId]);
});

test('a turn that starts immediately causes no additional claim when another one ends', async () => {
  const calls: string[] = [];
  const { coordination } = state;
  const watched = runQueue({
    coordination: {
      ...coordination,
      claim: (limit) => {
        calls.push('claim');
        return coordination.claim(limit);
      },
      end: (lease, end, more) => {
        if (more) calls.push('end');
        return coordination.end(lease, end, more);
      },
    },
    slots: slots(10),
    limits: { perThread: 10, queued: 10 },
    async takeOver(claim) {
      takenOver.push(claim.lease);
      throw new Error('no other process is there');
    },
    log: pino({ level: 'silent' }),
  });
  const run = newRun('a');
  const { thread, lease } = claimOf((await watched.accept(run, 'enqueue')).acceptance);
  await Promise.all([
    watched.accept(newRun('b'), 'enqueue'),
    watched.end(lease, failedEnd({ run, thread }), true),
  ]);
  await watched.settled();
  expect(calls).toEqual([]);
});

test('a run with a start time is claimed at that time', async () => {
  const notBefore = Date.now() + 30;
  const { claimed } = await queue.accept({ ...newRun('a'), notBefore }, 'enqueue');
  expect((await claimed).thread.threadId).toBe('a');
  expect(Date.now()).toBeGreaterThanOrEqual(notBefore);
});

test('a run that cannot be stored is not queued, and takes no slot', async () => {
  const run = newRun('a');
  claimOf((await queue.accept(run, 'enqueue')).acceptance);
  await expect(queue.accept(run, 'enqueue')).rejects.toThrow();
  expect([queue.waiting(), pool.inUse()]).toEqual([0, 1]);
});

const nobody = async () => {
  throw new Error('no other process is there');
};

function queueOn(pool: Slots, queued: number, takeOver: () => Promise<void>, write: (line: string) => void) {
  const { coordination } = state;
  const limits = { perThread: 10, queued };
  return runQueue({ coordination, slots: pool, limits, takeOver, log: pino({ level: 'error' }, { write }) });
}

test('a takeover that loses its lease gives the run back and is no error', async () => {
  const lines: string[] = [];
  const taken = async () => {
    throw new LeaseLost({ runId: 'r', number: 1 });
  };
  const small = queueOn(pool, 10, taken, (line) => lines.push(line));
  const run = newRun('a');
  const { lease } = claimOf(await state.coordination.accept(run, ROOM));
  await state.coordination.release(lease);
  small.claim(true);
  await small.settled();
  expect((await state.runs.find('ann', run.runId))?.status).toBe('queued');
  expect([pool.inUse(), lines]).toEqual([0, []]);
});

test('runs that start later do not fill the queue', async () => {
  const small = queueOn(pool, 1, nobody, () => {});
  claimOf((await small.accept(newRun('a'), 'enqueue')).acceptance);
  const notBefore = Date.now() + 3_600_000;
  await small.accept({ ...newRun('b'), notBefore }, 'enqueue');
  expect([small.waiting(), small.isFull()]).toEqual([1, false]);
  await small.accept(newRun('c'), 'enqueue');
  expect([small.waiting(), small.isFull()]).toEqual([2, true]);
});

test('runs that are being accepted count as queued, except the one that has a slot', async () => {
  const small = queueOn(pool, 2, nobody, () => {});
  const accepted = [small.accept(newRun('a'), 'enqueue'), small.accept(newRun('b'), 'enqueue')];
  expect(small.isFull()).toBe(false);
  accepted.push(small.accept(newRun('c'), 'enqueue'));
  expect(small.isFull()).toBe(true);
  const outcomes = (await Promise.all(accepted)).map(({ acceptance }) => acceptance.outcome);
  expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
  expect(small.isFull()).toBe(true);
});

test('a run is not rejected because another acceptance held the last slot without needing it', async () => {
  const two = slots(2);
  const small = queueOn(two, 1, nobody, () => {});
  claimOf((await small.accept(newRun('a'), 'enqueue')).acceptance);
  const behind = newRun('a');
  const [, other] = await Promise.all([
    small.accept(behind, 'enqueue'),
    small.accept(newRun('b'), 'enqueue'),
  ]);
  expect((await state.runs.find('ann', behind.runId))?.status).toBe('queued');
  expect(claimOf(other.acceptance).thread.threadId).toBe('b');
  expect(two.inUse()).toBe(2);
});
