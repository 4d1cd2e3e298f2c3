/** Serializes the writes of a file, with a time limit, so that writes behind a hanging storage give up. */
import { SkeinError } from '../state/errors.ts';

type FileQueue = <T>(file: string, work: () => Promise<T>) => Promise<T>;

/** A write that has waited `maxWaitMs` for earlier ones fails with OVERLOADED. */
export function fileQueue(maxWaitMs: number, clock = () => performance.now()): FileQueue {
  const queues = new Map<string, Promise<void>>();

  return (file, work) => {
    const startedAt = clock();
    const turn = (queues.get(file) ?? Promise.resolve()).then(() => {
      if (clock() - startedAt <= maxWaitMs) return work();
      throw new SkeinError('OVERLOADED', {
        message: 'Too many writes of this file are waiting',
        retryAfter: 5,
      });
    });
    const over = () => {
      if (queues.get(file) === settled) queues.delete(file);
    };
    const settled = turn.then(over, over);
    queues.set(file, settled);
    return turn;
  };
}
