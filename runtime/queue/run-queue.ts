/**
 * Queues the accepted runs of this process until they can start. The state decides which run is next and rejects runs
 * beyond the limits (`state/threads/coordination.ts`); this file only limits how many runs execute at the same time.
 */
import type { Logger } from 'pino';
import { isLeaseLost, type Lease, LeaseLost } from '../../state/cluster/lease.ts';
import type { Acceptance, Admission, Claim, Coordination } from '../../state/threads/coordination.ts';
import type { NewRun, RunEnd } from '../../state/threads/runs.ts';
import type { SlotRequest, Slots } from './slots.ts';

export interface RunQueue {
  /** Accepts a run. If it can start now, the acceptance has its claim; otherwise `claimed` resolves later. */
  accept(run: NewRun, strategy: Admission['strategy']): Promise<QueuedRun & { acceptance: Acceptance }>;
  /** Adds a run that an earlier process accepted, with its last lease. Call `claim` after the last one. */
  enqueue(lease: Lease, notBefore?: number | null): QueuedRun;
  /** Another process has claimed a run that is queued here: `claimed` rejects with LeaseLost. */
  claimedElsewhere(runId: string): void;
  /**
   * Claims the runs that can start, up to the number of free slots. `ofOthers`: also if no run is queued here, because
   * other processes may have accepted some.
   */
  claim(ofOthers?: boolean): void;
  /** Requests a slot for other work than a run, behind the earlier requests. */
  requestSlot(): SlotRequest;
  /** Stores the run's end. `held`: whether it had a slot, which the thread's next turn or the oldest queued run then gets. */
  end(lease: Lease, end: RunEnd, held: boolean): Promise<void>;
  /** Releases the run's lease and its slot: the run continues at the next start of a process. */
  release(lease: Lease): Promise<void>;
  /** Frees the slot of a run whose lease is lost; another process ends the run. */
  leaseLost(): void;
  /** Claims no more runs. */
  close(): void;
  /** Resolves when no claim is in progress, and each claimed run has started or was released. */
  settled(): Promise<void>;
  /** The number of queued runs. */
  waiting(): number;
  /**
   * Whether the state would reject a run that could start now, because no slot is free and the queue is full. Runs that are
   * being accepted count as queued: one that the state rejects after all can cause a rejection too many. Requests that arrive
   * together would otherwise all get to the state, although it rejects most of them.
   */
  isFull(): boolean;
}

export interface QueuedRun {
  claimed: Promise<Claim>;
  /** Removes the run from the queue. */
  dequeue(): void;
}

export interface RunQueueParts {
  coordination: Coordination;
  slots: Slots;
  limits: { perThread: number; queued: number };
  /** Continues a run that isn't queued here, because another process accepted it. */
  takeOver(claim: Claim): Promise<void>;
  log: Logger;
}

interface Waiting extends PromiseWithResolvers<Claim> {
  /** The run's last lease when it was queued. */
  lease: Lease;
  /** Its start time, in milliseconds since 1970. */
  notBefore: number;
}

const RETRY_MS = 500;
// A timer takes at most 24 days, so a longer wait is split into days.
const LONGEST_MS = 24 * 60 * 60 * 1000;

const clamp = (milliseconds: number) => Math.min(Math.max(milliseconds, 0), LONGEST_MS);

export function runQueue({ coordination, slots, limits, takeOver, log }: RunQueueParts): RunQueue {
  /** By run id. */
  const waiting = new Map<string, Waiting>();
  /** How many of these are still being accepted. Each calls `claim` once it is known that it has to wait. */
  let accepting = 0;
  /** How many of those have a slot, so they start as soon as they are accepted. */
  let starting = 0;
  /** Runs of other processes that are being taken over or released. */
  const underWay = new Set<Promise<void>>();
  let again = false;
  /** Whether other processes may have accepted runs that wait. */
  let othersWait = false;
  let closed = false;
  let going: Promise<void> | undefined;

  function enqueue(lease: Lease, notBefore?: number | null): QueuedRun {
    if (notBefore) claimAt(notBefore);
    const { runId } = lease;
    const claimed = Promise.withResolvers<Claim>();
    // If the run is cancelled while it is queued, nothing else handles the rejection.
    claimed.promise.catch(() => {});
    waiting.set(runId, { ...claimed, lease, notBefore: notBefore ?? 0 });
    return { claimed: claimed.promise, dequeue: () => void waiting.delete(runId) };
  }

  function deliver(claim: Claim): void {
    const { runId, number } = claim.lease;
    const own = waiting.get(runId);
    waiting.delete(runId);
    // Another process had the run in between, and its notification was lost: continue from what that process stored.
    const isPassedOn = own && number > own.lease.number + 1;
    if (isPassedOn) own.reject(new LeaseLost(own.lease));
    if (own && !isPassedOn) own.resolve(claim);
    else if (closed) track(giveBack(claim.lease));
    else
      track(
        takeOver(claim).catch((err: unknown) => {
          if (!isLeaseLost(err))
            log.error({ err, run_id: runId }, 'run of another process cannot be taken over');
          return giveBack(claim.lease);
        }),
      );
  }

  /** Releases a run that this process can't execute, because the service stops or the takeover failed. */
  async function giveBack(lease: Lease): Promise<void> {
    const released = coordination.release(lease);
    await released.catch((err) => log.error({ err, run_id: lease.runId }, 'run not released'));
    slots.release(1);
  }

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  /** Sends one claim at a time, and another if `claim` was called meanwhile: a run that was accepted then found no free slot. */
  async function claimAll(): Promise<void> {
    while (again && isWanted()) {
      again = false;
      const room = slots.acquireAll();
      if (room === 0) break;
      const claims = await coordination.claim(room).catch((err: unknown) => {
        log.error({ err }, 'queued runs cannot be claimed, will retry');
        setTimeout(() => claim(), RETRY_MS);
        return [];
      });
      slots.release(room - claims.length);
      if (claims.length < room) othersWait = false;
      for (const claimed of claims) deliver(claimed);
    }
  }

  const isWanted = () => !closed && (waiting.size > accepting || othersWait);

  function claim(ofOthers = false): void {
    othersWait ||= ofOthers;
    again = true;
    if (going) return;
    going = claimAll().finally(() => {
      going = undefined;
      // `claim` was called after the last one was sent.
      if (again && isWanted()) claim();
    });
  }

  /** Calls `claim` at `time`, in milliseconds since 1970. */
  function claimAt(time: number): void {
    const wait = time - Date.now();
    const timer = setTimeout(() => (time > Date.now() ? claimAt(time) : claim()), clamp(wait));
    timer.unref();
  }

  function releaseSlots(count: number): void {
    if (slots.release(count)) claim();
  }

  async function accept(run: NewRun, strategy: Admission['strategy']) {
    // Queued before it is stored: a run that ends in the meantime may already claim it.
    const own = enqueue({ runId: run.runId, number: 0 }, run.notBefore);
    const hasSlot = slots.tryAcquire();
    accepting++;
    if (hasSlot) starting++;
    const admission = { ...limits, strategy, claim: hasSlot };
    try {
      const acceptance = await coordination.accept(run, admission).finally(() => {
        accepting--;
        if (hasSlot) starting--;
      });
      const claimed = acceptance.outcome === 'accepted' && acceptance.claim;
      if (claimed) deliver(claimed);
      if (acceptance.outcome !== 'accepted') own.dequeue();
      if (hasSlot && !claimed) slots.release(1);
      if (!claimed) claim();
      return { ...own, acceptance };
    } catch (error) {
      own.dequeue();
      if (hasSlot) releaseSlots(1);
      throw error;
    }
  }

  return {
    async accept(run, strategy) {
      const first = await accept(run, strategy);
      const { acceptance } = first;
      if (acceptance.outcome !== 'full' || acceptance.of !== 'all') return first;
      // Another acceptance, or a claim, may have held a slot for a moment without needing it.
      await going;
      return slots.inUse() < slots.size ? accept(run, strategy) : first;
    },
    enqueue,
    claimedElsewhere(runId) {
      const own = waiting.get(runId);
      own?.reject(new LeaseLost(own.lease));
      waiting.delete(runId);
    },
    claim,
    async end(lease, end, held) {
      const handsOn = held && isWanted() && slots.waiting() === 0;
      const next = await coordination.end(lease, end, handsOn);
      if (next) deliver(next);
      else if (held) releaseSlots(1);
      else claim();
    },
    async release(lease) {
      try {
        await coordination.release(lease);
      } finally {
        releaseSlots(1);
      }
    },
    leaseLost: () => releaseSlots(1),
    requestSlot() {
      const slot = slots.request();
      return {
        granted: slot.granted,
        release() {
          slot.release();
          claim();
        },
      };
    },
    close() {
      closed = true;
    },
    async settled() {
      await going;
      await Promise.allSettled(underWay);
    },
    waiting: () => waiting.size,
    isFull() {
      let count = waiting.size - starting;
      if (slots.inUse() < slots.size || count < limits.queued) return false;
      const now = Date.now();
      for (const { notBefore } of waiting.values()) if (notBefore > now) count--;
      return count >= limits.queued;
    },
  };
}
