/** Deletes expired items of the store, a few at a time: nobody sees them since they expired. */
import type { Logger } from 'pino';
import type { Archive } from '../../state/archive.ts';
import { periodic } from '../periodic.ts';

export interface StoreSweepParts {
  removal: Pick<Archive['removal'], 'items'>;
  intervalMinutes: number;
  log: Logger;
}

export interface StoreSweep {
  /** Sweeps soon, then so often. */
  start(): void;
  /** Resolves when a sweep that is under way has stopped. */
  stop(): Promise<void>;
}

export function storeSweep({ removal, intervalMinutes, log }: StoreSweepParts): StoreSweep {
  const sweeping = periodic(sweep, {
    everyMs: intervalMinutes * 60_000,
    failed: (error) => log.error({ err: error }, 'expired items cannot be deleted, it is tried again later'),
  });

  async function sweep(): Promise<void> {
    while (!sweeping.stopped && (await removal.items(Date.now()))) await Bun.sleep(0);
  }

  return sweeping;
}
