/** Periodic background work: deletes expired data, and adds runs to the search index. */
import type { Logger } from 'pino';
import { storeSweep } from '../../../runtime/run/store/store-sweep.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import type { SearchRuns } from '../../../runtime/search/run-search.ts';
import { retention } from '../../../runtime/threads/retention.ts';
import { temporaryThreads } from '../../../runtime/threads/temporary-threads.ts';
import { threadExpiry } from '../../../runtime/threads/thread-expiry.ts';
import type { RetentionHour } from '../../../state/cluster/retention-hour.ts';
import type { Sweeps as StateSweeps } from '../../../state/cluster/sweeps.ts';
import type { Archive } from '../../../state/threads/archive.ts';

export interface SweepParts {
  /** Adds ended runs to the index. */
  search: Pick<SearchRuns, 'start' | 'stop'>;
  /** So that only one process at a time does each sweep. */
  sweeps: StateSweeps;
  removal: Archive['removal'];
  expireThread: Runtime['expireThread'];
  retentionDays: number | undefined;
  retentionHour: RetentionHour;
  maxSharePerHour: number;
  eventRetentionHours: number;
  /** For threads with a time to live. */
  threadMinutes: number | undefined;
  /** For expired items of the store. */
  storeMinutes: number;
  log: Logger;
}

export interface Sweeps {
  start(): void;
  /** Resolves when nothing is being deleted. */
  stop(): Promise<void>;
}

export function openSweeps({ threadMinutes, storeMinutes, ...parts }: SweepParts): Sweeps {
  const { removal, expireThread, sweeps, log } = parts;
  const all = [
    retention(parts),
    storeSweep({ removal, sweeps, intervalMinutes: storeMinutes, log }),
    temporaryThreads({ removal, expireThread, sweeps, log }),
    parts.search,
    threadExpiry({ removal, expireThread, sweeps, intervalMinutes: threadMinutes, log }),
  ];
  return {
    start() {
      for (const one of all) one.start();
    },
    async stop() {
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}
