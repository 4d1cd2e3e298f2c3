/**
 * Gives runs their turn in this process. The state says whose turn it is, and refuses what has
 * no room (`state/coordination.ts`); here is only how many run at the same time.
 */
import type { Logger } from 'pino';
import type { Acceptance, Admission, Claim, Coordination } from '../../state/coordination.ts';
import type { Lease } from '../../state/lease.ts';
import type { NewRun, RunEnd } from '../../state/runs.ts';
import type { Slots } from './slots.ts';

export interface Turns {
  /** Takes a run on. Where its turn has come and there is room, the claim is in the acceptance; else it comes later. */
  accept(run: NewRun, strategy: Admission['strategy']): Promise<Waiting & { acceptance: Acceptance }>;
  /** A run that was accepted by an earlier process. Call `claim` when all are known. */
  expect(runId: string): Waiting;
  /** Claims the runs whose turn it is, as far as there is room. */
  claim(): void;
  /** The run has ended; the thread's next turn, or the oldest that waits, gets its place. */
  end(lease: Lease, end: RunEnd, held: boolean): Promise<void>;
  /** The run waits for the next start of a process as it is. */
  release(lease: Lease): Promise<void>;
  /** The run's lease is lost, so somebody else ends it. */
  lost(): void;
  /** Gives nobody a turn any more. */
  close(): void;
  /** How many runs wait for their turn. */
  waiting(): number;
}

/** A run that waits for its turn. */
export interface Waiting {
  claimed: Promise<Claim>;
  /** It waits no more. Gives the claim where its turn has come. */
  leave(): Claim | undefined;
}

export interface TurnParts {
  coordination: Coordination;
  slots: Slots;
  limits: { perThread: number; queued: number };
  log: Logger;
}

const RETRY_MS = 500;

export function turns({ coordination, slots, limits, log }: TurnParts): Turns {
  /** Runs that wait, by id. */
  const waiting = new Map<string, (claim: Claim) => void>();
  let again = false;
  let closed = false;
  let going = false;

  function expect(runId: string): Waiting {
    const { promise: claimed, resolve } = Promise.withResolvers<Claim>();
    let come: Claim | undefined;
    waiting.set(runId, (claim) => {
      come = claim;
      resolve(claim);
    });
    return {
      claimed,
      leave() {
        waiting.delete(runId);
        return come;
      },
    };
  }

  function deliver(claim: Claim): void {
    const { runId } = claim.lease;
    const resolve = waiting.get(runId);
    waiting.delete(runId);
    resolve?.(claim);
  }

  /** One claim at a time: what is accepted meanwhile found no room, and is looked for again. */
  async function claimAll(): Promise<void> {
    while (again && !closed && waiting.size > 0) {
      again = false;
      const room = slots.takeAll();
      if (room === 0) break;
      const claims = await coordination.claim(room).catch((err: unknown) => {
        log.error({ err }, 'waiting runs cannot be claimed, tried again');
        setTimeout(claim, RETRY_MS);
        return [];
      });
      slots.give(room - claims.length);
      for (const claimed of claims) deliver(claimed);
    }
  }

  function claim(): void {
    again = true;
    if (going) return;
    going = true;
    void claimAll().finally(() => {
      going = false;
    });
  }

  function give(count: number): void {
    if (slots.give(count)) claim();
  }

  return {
    async accept(run, strategy) {
      // Known before it is written: whoever ends meanwhile may claim it.
      const own = expect(run.runId);
      const room = slots.take();
      const admission = { ...limits, strategy, claim: room };
      try {
        const acceptance = await coordination.accept(run, admission);
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
    },
    expect,
    claim,
    async end(lease, end, held) {
      const handsOn = held && !closed && waiting.size > 0 && slots.waiting() === 0;
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
    close() {
      closed = true;
    },
    waiting: () => waiting.size,
  };
}
