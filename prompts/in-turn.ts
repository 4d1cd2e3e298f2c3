/** Serializes the writes of a file, with a time limit, so that writes behind a hanging storage give up. */
import { SkeinError } from '../state/errors.ts';

type InTurn = <T>(file: string, work: () => Promise<T>) => Promise<T>;

/** `patience`: how long a write may wait for earlier ones; then it fails with OVERLOADED. */
export function inTurn(patience: number, clock = () => performance.now()): InTurn {
  const lines = new Map<string, Promise<void>>();

  return (file, work) => {
    const asked = clock();
    const turn = (lines.get(file) ?? Promise.resolve()).then(() => {
      if (clock() - asked <= patience) return work();
      throw new SkeinError('OVERLOADED', {
        message: 'Too many writes of this file are waiting',
        retryAfter: 5,
      });
    });
    const over = () => {
      if (lines.get(file) === settled) lines.delete(file);
    };
    const settled = turn.then(over, over);
    lines.set(file, settled);
    return turn;
  };
}
