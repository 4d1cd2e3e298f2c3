/** Who runs when: turns of a thread one after another in the order they came, and a bound on runs at the same time. */
import { SkeinError } from '../../state/errors.ts';

export interface LineLimits {
  /** Turns that may wait on one thread. */
  perThread: number;
  /** Runs at the same time, over all threads. */
  concurrent: number;
  /** Runs that may wait, over all threads. */
  queued: number;
}

/** A turn's place: `ready` resolves when it may run; `leave` must be called once, whether it ran or not. */
export interface Place {
  started(): boolean;
  ready: Promise<void>;
  leave(): void;
}

export interface Lines {
  /** Takes the next place of a thread. Throws THREAD_BUSY or OVERLOADED at once if there is none. */
  enter(thread: string, options: { reject: boolean }): Place;
  /** The same for a turn that was accepted before: no bound refuses it. */
  reenter(thread: string): Place;
  /** A place for a short change of the thread between its turns: it does not wait for one of the concurrent places. */
  between(thread: string): Place;
  /** Refuses new turns of a thread with THREAD_BUSY and this detail, until it is opened again. */
  close(thread: string, detail: string): { empty(): boolean; open(): void };
  /** Whether a turn runs or waits on the thread. */
  isBusy(thread: string): boolean;
  counts(): { running: number; waiting: number };
}

/** The line of an owner's thread. */
export function lineOf(owner: string, threadId: string): string {
  return `${owner}/${threadId}`;
}

interface Turn {
  thread: string;
  running: boolean;
  /** It takes one of the concurrent places. */
  counts: boolean;
  start: () => void;
}

export function lines(limits: LineLimits): Lines {
  /** Per thread: the turn at its head, then those that wait, in order. */
  const threads = new Map<string, Turn[]>();
  /** Turns at the head of their thread that wait for one of the concurrent places, in order. */
  const heads: Turn[] = [];
  /** Threads that take no turns, and why. */
  const closed = new Map<string, string>();
  let running = 0;
  let waiting = 0;

  function admit(): void {
    while (running < limits.concurrent) {
      const turn = heads.shift();
      if (!turn) return;
      running++;
      waiting--;
      turn.running = true;
      turn.start();
    }
  }

  function leave(turn: Turn): void {
    const line = threads.get(turn.thread) ?? [];
    const place = line.indexOf(turn);
    if (place < 0) return;
    line.splice(place, 1);
    if (turn.counts) uncount(turn);
    const next = line[0];
    if (!next) threads.delete(turn.thread);
    else if (place === 0) atHead(next);
    admit();
  }

  function uncount(turn: Turn): void {
    if (turn.running) {
      running--;
      return;
    }
    waiting--;
    const queued = heads.indexOf(turn);
    if (queued >= 0) heads.splice(queued, 1);
  }

  function atHead(turn: Turn): void {
    if (turn.counts) heads.push(turn);
    else {
      turn.running = true;
      turn.start();
    }
  }

  function take(thread: string, counts: boolean): Place {
    const { promise: ready, resolve: start } = Promise.withResolvers<void>();
    const turn: Turn = { thread, running: false, counts, start };
    const line = threads.get(thread) ?? [];
    threads.set(thread, line);
    line.push(turn);
    if (counts) waiting++;
    if (line.length === 1) atHead(turn);
    admit();
    return { started: () => turn.running, ready, leave: () => leave(turn) };
  }

  return {
    enter(thread, { reject }) {
      const detail = closed.get(thread);
      if (detail !== undefined) throw new SkeinError('THREAD_BUSY', { detail });
      const before = threads.get(thread)?.length ?? 0;
      if (reject && before > 0) {
        throw new SkeinError('THREAD_BUSY', { detail: 'A turn is running on this thread' });
      }
      if (before > limits.perThread) {
        throw new SkeinError('THREAD_BUSY', {
          detail: `${limits.perThread} turns wait on this thread already`,
        });
      }
      const waits = before > 0 || running >= limits.concurrent;
      if (waits && waiting >= limits.queued) throw new SkeinError('OVERLOADED', { retryAfter: 1 });
      return take(thread, true);
    },
    reenter: (thread) => take(thread, true),
    between: (thread) => take(thread, false),
    close(thread, detail) {
      closed.set(thread, detail);
      return { empty: () => !threads.has(thread), open: () => void closed.delete(thread) };
    },
    isBusy: (thread) => threads.has(thread),
    counts: () => ({ running, waiting }),
  };
}
