/** Tells without waiting whether something answers: as it was when it was last asked, which was not long ago. */

const EVERY_MS = 2_000;

/** Gives what rejects as `ask` last did; only its first call waits for an answer. */
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
