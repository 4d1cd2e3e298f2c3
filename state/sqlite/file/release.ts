/** Resumes the callers that waited for a commit, in small groups. */

const GROUP = 2;
const SAMPLE_MS = 200;
// Above this share of one core, large transactions matter more than an even load, because they take less time per write.
const BUSY = 0.7;

/**
 * Returns a function that calls `callers` in order, the first ones immediately. If all callers of a large commit continued
 * at the same time, their turns would call the model provider together, get their responses together, and wait for each
 * other from then on. So while the processor has time to spare, the event loop runs other work between groups.
 */
export function releaser(isBusy = processorIsBusy()): (callers: (() => void)[]) => void {
  let waiting: (() => void)[] = [];

  function release(): void {
    const group = waiting.splice(0, isBusy() ? waiting.length : GROUP);
    if (waiting.length > 0) setImmediate(release);
    for (const call of group) call();
  }

  return (callers) => {
    const isReleasing = waiting.length > 0;
    waiting = [...waiting, ...callers];
    if (!isReleasing) release();
  };
}

/** Whether this process has used most of a core recently. */
function processorIsBusy(): () => boolean {
  let at = performance.now();
  let used = process.cpuUsage();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - at < SAMPLE_MS) return isBusy;
    const { user, system } = process.cpuUsage(used);
    isBusy = (user + system) / 1000 / (now - at) > BUSY;
    at = now;
    used = process.cpuUsage();
    return isBusy;
  };
}
