/** Limits the threads that retention deletes per hour, across restarts and servers, and independent of their clocks. */

export interface RetentionHour {
  /**
   * Takes at most `wanted` deletions and returns how many. The hour's total is at most `share` of the threads that existed
   * when the hour began, and at least one.
   */
  take(wanted: number, share: number): Promise<number>;
  /** Returns unused deletions. */
  release(count: number): Promise<void>;
}

/** The number of deletions left in an hour that began with `threads` threads. */
export function remainingDeletions(
  { threads, deleted }: { threads: number; deleted: number },
  share: number,
): number {
  return Math.max(0, Math.max(1, Math.floor(threads * share)) - deleted);
}

export const HOUR_MS = 3_600_000;
