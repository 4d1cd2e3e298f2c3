/** Reports without waiting whether a service responds, from a recent check. */

const EVERY_MS = 2_000;

/** Rejects as the last `ask` did; only the first call waits for a result. */
export function probe(ask: () => Promise<unknown>): () => Promise<void> {
  let last: { failure: unknown } | undefined;
  let due = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  function askAgain(): Promise<void> {
    due = performance.now() + EVERY_MS;
    const answered = (failure?: unknown) => {
      last = { failure };
      asking = undefined;
    };
    return ask().then(() => answered(), answered);
  }

  return async () => {
    if (performance.now() >= due) asking ??= askAgain();
    if (!last) await asking;
    if (last?.failure !== undefined) throw last.failure;
  };
}
