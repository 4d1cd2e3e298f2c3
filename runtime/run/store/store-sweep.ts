/** Deletes expired items of the store in small batches. Reads already ignore them. */
import type { Logger } from 'pino';
import type { Sweeps } from '../../../state/cluster/sweeps.ts';
import type { Archive } from '../../../state/threads/archive.ts';
import { periodic } from '../../periodic.ts';

export interface StoreSweepParts {
  removal: Pick<Archive['removal'], 'items'>;
  sweeps: Sweeps;
  intervalMinutes: number;
  log: Logger;
}

export interface StoreSweep {
  /** Starts sweeping after half a second, then at the interval. */
  start(): void;
  /** Resolves when a sweep in progress has stopped. */
  stop(): Promise<void>;
}

export function storeSweep({ removal, sweeps, intervalMinutes, log }: StoreSweepParts): StoreSweep {
  const sweeping = periodic(() => sweeps.runExclusively('store', sweep), {
    everyMs: intervalMinutes * 60_000,
    failed: (error) => log.error({ err: error }, 'expired items cannot be deleted, will retry'),
  });

  async function sweep(): Promise<void> {
    while (!sweeping.stopped && (await removal.items(Date.now()))) await Bun.sleep(0);
  }

  return sweeping;
}
