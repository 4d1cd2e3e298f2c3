/** Everything that the service deletes by itself, a while after it was needed. */
import type { Logger } from 'pino';
import { storeSweep } from '../../runtime/run/store/store-sweep.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { retention } from '../../runtime/threads/retention.ts';
import { temporaryThreads } from '../../runtime/threads/temporary-threads.ts';
import { threadExpiry } from '../../runtime/threads/thread-expiry.ts';
import type { Archive } from '../../state/archive.ts';

export interface SweepParts {
  removal: Archive['removal'];
  expireThread: Runtime['expireThread'];
  retentionDays: number | undefined;
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

export function sweeps({ threadMinutes, storeMinutes, ...parts }: SweepParts): Sweeps {
  const { removal, expireThread, log } = parts;
  const all = [
    retention(parts),
    storeSweep({ removal, intervalMinutes: storeMinutes, log }),
    temporaryThreads({ removal, expireThread, log }),
    threadExpiry({ removal, expireThread, intervalMinutes: threadMinutes, log }),
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
