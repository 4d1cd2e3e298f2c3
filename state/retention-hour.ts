/** The limit of threads that retention may delete in an hour, over all restarts and servers, whatever their clocks say. */

export interface RetentionHour {
  /**
   * Takes at most `wanted` deletions and gives how many: in all, at most `share` of the threads that were there when the hour
   * began, and at least one.
   */
  take(wanted: number, share: number): Promise<number>;
  /** Gives unused deletions back. */
  giveBack(count: number): Promise<void>;
}

/** How many deletions are left of an hour that began with so many threads. */
export function leftOfHour(
  { threads, deleted }: { threads: number; deleted: number },
  share: number,
): number {
  return Math.max(0, Math.max(1, Math.floor(threads * share)) - deleted);
}

export const HOUR_MS = 3_600_000;
