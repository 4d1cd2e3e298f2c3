/** Deletes the threads of stateless runs of LangGraph's protocol a minute after the run, so that clients can still join it. */
import type { Logger } from 'pino';
import type { Sweeps } from '../../state/cluster/sweeps.ts';
import type { Archive } from '../../state/threads/archive.ts';
import { type Periodic, periodic } from '../periodic.ts';
import type { Deletion } from './deletion.ts';

export interface TemporaryThreadParts {
  removal: Pick<Archive['removal'], 'temporary'>;
  expireThread: Deletion['expireThread'];
  sweeps: Sweeps;
  log: Logger;
}

const RETENTION_MS = 60_000;
const EVERY_MS = 15_000;
const THREADS_AT_ONCE = 50;

export function temporaryThreads({ removal, expireThread, sweeps, log }: TemporaryThreadParts): Periodic {
  const sweeping = periodic(() => sweeps.runExclusively('temporary threads', sweep), {
    everyMs: EVERY_MS,
    failed: (error) => log.error({ err: error }, 'temporary threads cannot be deleted, will retry'),
  });

  async function sweep(): Promise<void> {
    const before = Date.now() - RETENTION_MS;
    for (let more = true; more && !sweeping.stopped; ) {
      const over = await removal.temporary(before, THREADS_AT_ONCE);
      let deleted = 0;
      for (const { owner, threadId } of over)
        if (!sweeping.stopped && (await expireThread(owner, threadId, before))) deleted++;
      more = deleted > 0;
    }
  }

  return sweeping;
}
