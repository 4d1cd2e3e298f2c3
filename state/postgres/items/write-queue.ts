/** Writes an owner's items in the order of the calls. Waiting writes share a transaction. */
import type { ItemChange } from '../../items/items.ts';
import type { Database } from '../database/database.ts';
import { changeItems, type TimedChange } from './change-items.ts';

export interface WriteQueue {
  change(owner: string, changes: ItemChange[], now: number): Promise<void>;
  /** Makes following reads wait for `written`, which may reject. */
  follow(owner: string, written: Promise<unknown>): void;
  /** Resolves when all earlier writes have succeeded or failed. */
  settled(owner: string): Promise<void>;
}

interface QueuedWrite {
  changes: TimedChange[];
  characters: number;
  done: PromiseWithResolvers<void>;
}

const MAX_CHARACTERS = 4_000_000;

export function writeQueue(database: Database): WriteQueue {
  const waiting = new Map<string, QueuedWrite[]>();
  const newest = new Map<string, Promise<unknown>>();

  function follow(owner: string, written: Promise<unknown>): void {
    const settled = Promise.allSettled([newest.get(owner), written]).then(() => {
      if (newest.get(owner) === settled) newest.delete(owner);
    });
    newest.set(owner, settled);
  }

  async function writeAll(owner: string, queued: QueuedWrite[]): Promise<void> {
    // Concurrent calls have queued their writes by then.
    await Promise.resolve();
    while (queued.length > 0) {
      const part = queued.splice(0, countOf(queued));
      try {
        await changeItems(
          database,
          owner,
          part.flatMap(({ changes }) => changes),
        );
        for (const { done } of part) done.resolve();
      } catch (error) {
        for (const { done } of part) done.reject(error);
      }
    }
    waiting.delete(owner);
  }

  return {
    follow,
    settled: async (owner) => void (await newest.get(owner)),
    change(owner, changes, now) {
      const done = Promise.withResolvers<void>();
      const characters = changes.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
      const one = { changes: changes.map((change) => ({ ...change, at: now })), characters, done };
      const others = waiting.get(owner);
      others?.push(one);
      if (!others) {
        const queued = [one];
        waiting.set(owner, queued);
        void writeAll(owner, queued);
      }
      follow(owner, done.promise);
      return done.promise;
    },
  };
}

/** The number of writes for the next transaction; at least one. */
function countOf(queued: QueuedWrite[]): number {
  let characters = 0;
  const over = queued.findIndex((one) => {
    characters += one.characters;
    return characters > MAX_CHARACTERS;
  });
  return over < 0 ? queued.length : Math.max(1, over);
}
