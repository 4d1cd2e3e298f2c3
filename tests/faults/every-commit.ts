/** Enumerates the transactions of a run, to check the state if the process ends at one of them. */
import type { Commit } from './lane.ts';

/**
 * Calls `survives` with every transaction of the given moment, by kind, until a run has no further one. Returns the
 * points at which it was killed, as `before agent, finished: 2`, or `before agent` if the number of finished agents is unknown.
 */
export async function everyCommit(
  moment: Commit['moment'],
  survives: (kill: Commit) => Promise<{ killed: boolean; finished?: number }>,
): Promise<string[]> {
  const points: string[] = [];
  for (const kind of ['accept', 'agent', 'other', 'end'] as const) {
    for (let number = 1; ; number++) {
      const { killed, finished } = await survives({ moment, kind, number });
      if (!killed) break;
      points.push(`${moment} ${kind}${finished === undefined ? '' : `, finished: ${finished}`}`);
    }
  }
  return points;
}

/** Waits for all before it reports an error, so none continues during the next test. */
export async function allOf<T>(works: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Adds the kill point to the error. */
export async function at<T>(point: () => unknown, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${JSON.stringify(point())}: ${reason}`, { cause: error });
  }
}
