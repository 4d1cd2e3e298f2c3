/** Checks within a second whether the database responds. */
import { SkeinError } from '../../errors.ts';
import type { Database } from './database.ts';
import { ResponseTimeout } from './failures.ts';
import { assertSpace } from './space.ts';

const TIMEOUT_MS = 1_000;

/** The returned function rejects with STATE_UNAVAILABLE or STORAGE_FULL. Concurrent calls share one query. */
export function reachability(database: Database): () => Promise<void> {
  let spaceCheck: Promise<void> | undefined;
  let query: { answer: Promise<unknown>; late: Promise<never> } | undefined;
  return async () => {
    query ??= send();
    await Promise.race([query.answer, query.late]);
    spaceCheck ??= assertSpace(database).finally(() => {
      spaceCheck = undefined;
    });
    await spaceCheck;
  };

  function send() {
    const { promise: late, reject } = Promise.withResolvers<never>();
    late.catch(() => {});
    const onTimeout = () =>
      reject(new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1, cause: new ResponseTimeout() }));
    const timer = setTimeout(onTimeout, TIMEOUT_MS);
    const answer = database.get('SELECT 1 AS one').finally(() => {
      clearTimeout(timer);
      query = undefined;
    });
    answer.catch(() => {});
    return { answer, late };
  }
}
