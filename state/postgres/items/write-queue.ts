/** Writes of an owner's items in the order in which they were asked for; those that wait share a transaction. */
import type { ItemChange } from '../../items/items.ts';
import type { Database } from '../database/database.ts';
import { changeItems, type TimedChange } from './change-items.ts';

export interface WriteQueue {
  change(owner: string, changes: ItemChange[], now: number): Promise<void>;
  /** Lets the reads that follow wait for it too; it may fail. */
  follow(owner: string, written: Promise<unknown>): void;
  /** Resolves when all that was asked for before has been written, or has failed. */
  settled(owner: string): Promise<void>;
}

interface Asked {
  changes: TimedChange[];
  characters: number;
  done: PromiseWithResolvers<void>;
}

const MOST_CHARACTERS = 4_000_000;

export function writeQueue(database: Database): WriteQueue {
  const waiting = new Map<string, Asked[]>();
  const newest = new Map<string, Promise<unknown>>();

  function follow(owner: string, written: Promise<unknown>): void {
    const settled = Promise.allSettled([newest.get(owner), written]).then(() => {
      if (newest.get(owner) === settled) newest.delete(owner);
    });
    newest.set(owner, settled);
  }

  async function writeAll(owner: string, asked: Asked[]): Promise<void> {
    // What is asked for side by side has come by then.
    await Promise.resolve();
    while (asked.length > 0) {
      const part = asked.splice(0, countOf(asked));
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
        const asked = [one];
        waiting.set(owner, asked);
        void writeAll(owner, asked);
      }
      follow(owner, done.promise);
      return done.promise;
    },
  };
}

/** How many go together: one at least. */
function countOf(asked: Asked[]): number {
  let characters = 0;
  const over = asked.findIndex((one) => {
    characters += one.characters;
    return characters > MOST_CHARACTERS;
  });
  return over < 0 ? asked.length : Math.max(1, over);
}
