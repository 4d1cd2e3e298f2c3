/** Writes of one file one after another, each for a bounded time: what waits behind a storage that hangs gives up. */
import { SkeinError } from '../state/errors.ts';

type InTurn = <T>(file: string, work: () => Promise<T>) => Promise<T>;

/** `patience`: what a write may wait for those before it, by the clock; then it is OVERLOADED. */
export function inTurn(patience: number, clock = () => performance.now()): InTurn {
  const lines = new Map<string, Promise<void>>();

  return (file, work) => {
    const asked = clock();
    const turn = (lines.get(file) ?? Promise.resolve()).then(() => {
      if (clock() - asked <= patience) return work();
      throw new SkeinError('OVERLOADED', { message: 'Too many write this file', retryAfter: 5 });
    });
    const over = () => {
      if (lines.get(file) === settled) lines.delete(file);
    };
    const settled = turn.then(over, over);
    lines.set(file, settled);
    return turn;
  };
}
