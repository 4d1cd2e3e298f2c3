/** Whether the database answers, known within a second whatever is under way there. */
import { SkeinError } from '../../errors.ts';
import type { Database } from './database.ts';
import { Unheard } from './failures.ts';
import { assertRoom } from './room.ts';

const MOST_MS = 1_000;

/** The function rejects with STATE_UNAVAILABLE, or with STORAGE_FULL. Those who ask at the same time share a question. */
export function reachability(database: Database): () => Promise<void> {
  let tried: Promise<void> | undefined;
  let asked: { answer: Promise<unknown>; late: Promise<never> } | undefined;
  return async () => {
    asked ??= ask();
    await Promise.race([asked.answer, asked.late]);
    tried ??= assertRoom(database).finally(() => {
      tried = undefined;
    });
    await tried;
  };

  function ask() {
    const { promise: late, reject } = Promise.withResolvers<never>();
    late.catch(() => {});
    const silent = () => reject(new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1, cause: new Unheard() }));
    const timer = setTimeout(silent, MOST_MS);
    const answer = database.get('SELECT 1 AS one').finally(() => {
      clearTimeout(timer);
      asked = undefined;
    });
    answer.catch(() => {});
    return { answer, late };
  }
}
