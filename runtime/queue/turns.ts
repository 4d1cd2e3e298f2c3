/**
 * Gives runs their turn in this process. The state says whose turn it is, and refuses what has
 * no room (`state/coordination.ts`); here is only how many run at the same time.
 */
import type { Logger } from 'pino';
import type { Acceptance, Admission, Claim, Coordination } from '../../state/coordination.ts';
import { type Lease, LeaseLost } from '../../state/lease.ts';
import type { NewRun, RunEnd } from '../../state/runs.ts';
import type { Place, Slots } from './slots.ts';

export interface Turns {
  /** Takes a run on. Where its turn has come and there is room, the claim is in the acceptance; else it comes later. */
  accept(run: NewRun, strategy: Admission['strategy']): Promise<Waiting & { acceptance: Acceptance }>;
  /** A run that was accepted by an earlier process. Call `claim` when all are known. */
  expect(runId: string, notBefore?: number | null): Waiting;
  /** Another process has a run that waits here: its claim rejects with LeaseLost. */
  elsewhere(runId: string): void;
  /**
   * Claims the runs whose turn it is, as far as there is room. `ofOthers`: also when none waits here, because another
   * process has accepted it.
   */
  claim(ofOthers?: boolean): void;
  /** Room for something else than a run, behind everything that waits for that. */
  enter(): Place;
  /** The run has ended; the thread's next turn, or the oldest that waits, gets its place. */
  end(lease: Lease, end: RunEnd, held: boolean): Promise<void>;
  /** The run waits for the next start of a process as it is. */
  release(lease: Lease): Promise<void>;
  /** The run's lease is lost, so somebody else ends it. */
  lost(): void;
  /** Gives nobody a turn any more. */
  close(): void;
  /** Resolves when no claim is under way, and each run that was claimed has started, or is given back. */
  settled(): Promise<void>;
  /** How many runs wait for their turn. */
  waiting(): number;
}

/** A run that waits for its turn. */
export interface Waiting {
  claimed: Promise<Claim>;
  /** It waits no more. */
  leave(): void;
}

export interface TurnParts {
  coordination: Coordination;
  slots: Slots;
  limits: { perThread: number; queued: number };
  /** Goes on with a run that nobody waits for here: another process accepted it. */
  adopt(claim: Claim): Promise<void>;
  log: Logger;
}

const RETRY_MS = 500;
// A timer takes no more than 24 days.
const LONGEST_MS = 24 * 60 * 60 * 1000;

const clamp = (milliseconds: number) => Math.min(Math.max(milliseconds, 0), LONGEST_MS);

export function turns({ coordination, slots, limits, adopt, log }: TurnParts): Turns {
  /** Runs that wait, by id. */
  const waiting = new Map<string, PromiseWithResolvers<Claim>>();
  /** How many of them are being accepted: each is looked for once it is known that it waits. */
  let accepting = 0;
  /** Runs of others that are taken up, or given back. */
  const underWay = new Set<Promise<void>>();
  let again = false;
  /** Whether runs of others may wait. */
  let othersWait = false;
  let closed = false;
  let going: Promise<void> | undefined;

  function expect(runId: string, notBefore?: number | null): Waiting {
    if (notBefore) claimAt(notBefore);
    const claimed = Promise.withResolvers<Claim>();
    // A run that is given up before does not wait for it.
    claimed.promise.catch(() => {});
    waiting.set(runId, claimed);
    return { claimed: claimed.promise, leave: () => void waiting.delete(runId) };
  }

  function deliver(claim: Claim): void {
    const { runId } = claim.lease;
    const own = waiting.get(runId);
    waiting.delete(runId);
    if (own) own.resolve(claim);
    else if (closed) noted(giveBack(claim.lease));
    else
      noted(
        adopt(claim).catch((err: unknown) => {
          log.error({ err, run_id: runId }, 'run of another process cannot be taken over');
          return giveBack(claim.lease);
        }),
      );
  }

  /** Nobody waits for it here any more: the service stops. */
  async function giveBack(lease: Lease): Promise<void> {
    const released = coordination.release(lease);
    await released.catch((err) => log.error({ err, run_id: lease.runId }, 'run not released'));
    slots.give(1);
  }

  function noted(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  /** One claim at a time: what is accepted meanwhile found no room, and is looked for again. */
  async function claimAll(): Promise<void> {
    while (again && isWanted()) {
      again = false;
      const room = slots.takeAll();
      if (room === 0) break;
      const claims = await coordination.claim(room).catch((err: unknown) => {
        log.error({ err }, 'waiting runs cannot be claimed, tried again');
        setTimeout(() => claim(), RETRY_MS);
        return [];
      });
      slots.give(room - claims.length);
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
      // Asked for after the last look.
      if (again && isWanted()) claim();
    });
  }

  /** At `time`, claims the runs that were to wait until then. */
  function claimAt(time: number): void {
    const wait = time - Date.now();
    const timer = setTimeout(() => (time > Date.now() ? claimAt(time) : claim()), clamp(wait));
    timer.unref();
  }

  function give(count: number): void {
    if (slots.give(count)) claim();
  }

  async function accept(run: NewRun, strategy: Admission['strategy']) {
    // Known before it is written: whoever ends meanwhile may claim it.
    const own = expect(run.runId, run.notBefore);
    const room = slots.take();
    accepting++;
    const admission = { ...limits, strategy, claim: room };
    try {
      const acceptance = await coordination.accept(run, admission).finally(() => accepting--);
      const claimed = acceptance.outcome === 'accepted' && acceptance.claim;
      if (claimed) deliver(claimed);
      if (acceptance.outcome !== 'accepted') own.leave();
      if (room && !claimed) slots.give(1);
      if (!claimed) claim();
      return { ...own, acceptance };
    } catch (error) {
      own.leave();
      if (room) give(1);
      throw error;
    }
  }

  return {
    async accept(run, strategy) {
      const first = await accept(run, strategy);
      const { acceptance } = first;
      // Another acceptance may have held a slot that it did not need.
      const again = acceptance.outcome === 'full' && acceptance.of === 'all' && slots.taken() < slots.most;
      return again ? accept(run, strategy) : first;
    },
    expect,
    elsewhere(runId) {
      waiting.get(runId)?.reject(new LeaseLost({ runId, number: 0 }));
      waiting.delete(runId);
    },
    claim,
    async end(lease, end, held) {
      const handsOn = held && isWanted() && slots.waiting() === 0;
      const next = await coordination.end(lease, end, handsOn);
      if (next) deliver(next);
      else if (held) give(1);
      else claim();
    },
    async release(lease) {
      try {
        await coordination.release(lease);
      } finally {
        give(1);
      }
    },
    lost: () => give(1),
    enter() {
      const place = slots.enter();
      return {
        ready: place.ready,
        leave() {
          place.leave();
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
  };
}
