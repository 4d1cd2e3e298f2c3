/** Lets running turns and trials end before the process stops, and stops those that take too long. */
import type { RunQueue } from '../queue/run-queue.ts';
import type { TrialQueue } from '../trials/trial-queue.ts';
import type { ActiveRun } from './active-run.ts';

export interface DrainedParts {
  /** Accepts turns. */
  intake: { close(): void; settled(): Promise<unknown> };
  active: ReadonlyMap<string, Pick<ActiveRun, 'ended' | 'stop'>>;
  trials: Pick<TrialQueue, 'settled' | 'stop'>;
  queue: Pick<RunQueue, 'close' | 'settled'>;
  /** Ends the notifications from other processes and to followers. */
  closeNotifications(): void;
}

/** Rejects new turns, waits for the running ones, and after `milliseconds` stops the rest; they continue at the next start. */
export async function drainRuns(drained: DrainedParts, milliseconds: number): Promise<void> {
  const { intake, active, trials, queue, closeNotifications } = drained;
  const all = () =>
    Promise.allSettled([...Array.from(active.values(), ({ ended }) => ended), trials.settled()]);
  intake.close();
  // Clear the timer: it would keep the process of a command alive.
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([intake.settled().then(all), late.promise]);
  clearTimeout(timer);
  await intake.settled();
  queue.close();
  closeNotifications();
  await queue.settled();
  for (const run of active.values()) run.stop();
  trials.stop();
  await all();
  await queue.settled();
}
