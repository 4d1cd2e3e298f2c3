/** Deletes expired items of the store, a few at a time: they have been invisible since they expired. */
import type { Logger } from 'pino';

import type { Archive } from '../../../state/archive.ts';
import type { Sweeps } from '../../../state/sweeps.ts';
import { periodic } from '../../periodic.ts';

export interface StoreSweepParts {
  removal: Pick<Archive['removal'], 'items'>;
  sweeps: Sweeps;
  intervalMinutes: number;
  log: Logger;
}

export interface StoreSweep {
  /** Sweeps soon, then at this interval. */
  start(): void;
  /** Resolves when a sweep in progress has stopped. */
  stop(): Promise<void>;
}

export function storeSweep({ removal, sweeps, intervalMinutes, log }: StoreSweepParts): StoreSweep {
  const sweeping = periodic(() => sweeps.alone('store', sweep), {
    everyMs: intervalMinutes * 60_000,
    failed: (error) => log.error({ err: error }, 'expired items cannot be deleted, it is tried again later'),
  });

  async function sweep(): Promise<void> {
    while (!sweeping.stopped && (await removal.items(Date.now()))) await Bun.sleep(0);
  }

  return sweeping;
}
