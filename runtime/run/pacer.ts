/** Lets runs that are ready at the same time continue a few at a time. */

const GROUP = 2;
const SAMPLE_MS = 200;
// Above this share of one core, large transactions matter more than an even load, because they take less time per write.
const BUSY = 0.9;

/**
 * Returns a function whose promises resolve in the order of its calls: the first ones immediately, then a group in each
 * iteration of the event loop. While this thread is busy, new calls resolve immediately, even before calls that still wait.
 *
 * Without it, an iteration would handle all runs before it reads another request or commits a write: runs that start together
 * would end together, so their clients would send the next turns together and wait for each other again, although the
 * processor is idle in between.
 */
export function pacer(isBusy = threadIsBusy()): () => Promise<void> {
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
    const group = waiting.splice(0, isBusy() ? waiting.length : GROUP);
    free = Math.max(0, GROUP - group.length);
    if (group.length > 0) schedule();
    for (const resume of group) resume();
  }

  return () => {
    if (isBusy()) return Promise.resolve();
    schedule();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (free > 0) {
      free--;
      resolve();
    } else waiting.push(resolve);
    return promise;
  };
}

// Declared here, because a project can have older types of Node, which don't know this function.
const thread = process as unknown as { threadCpuUsage: typeof process.cpuUsage };

/** Whether this thread has used most of a core recently. */
function threadIsBusy(): () => boolean {
  let at = performance.now();
  let used = thread.threadCpuUsage();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - at < SAMPLE_MS) return isBusy;
    const { user, system } = thread.threadCpuUsage(used);
    isBusy = (user + system) / 1000 / (now - at) > BUSY;
    at = now;
    used = thread.threadCpuUsage();
    return isBusy;
  };
}
