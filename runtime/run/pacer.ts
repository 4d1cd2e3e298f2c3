/** Lets runs that are ready at the same time continue a group at a time. */

// Smaller groups need more iterations of the event loop, each of which has a fixed cost. Larger ones delay other requests.
const GROUP = 16;

/**
 * Returns a function whose promises resolve in the order of its calls: the first ones immediately, then a group in each
 * iteration of the event loop.
 *
 * Without it, an iteration would handle all runs before it reads another request, so even rejections would take that long. And
 * runs that start together would end together, so their clients would send the next turns together and wait for each other
 * again, although the processor is idle in between.
 */
export function pacer(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = GROUP;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(nextGroup);
  }

  function nextGroup(): void {
    isScheduled = false;
    const group = waiting.splice(0, GROUP);
    free = GROUP - group.length;
    if (group.length > 0) schedule();
    for (const resume of group) resume();
  }

  return () => {
    schedule();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (free > 0) {
      free--;
      resolve();
    } else waiting.push(resolve);
    return promise;
  };
}
