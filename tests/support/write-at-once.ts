/** Preloaded into a service: with COMMIT_AT_ONCE, each write is committed before the next one is queued. */

// Writes share a transaction unless a read flushes them in between. This simulates a read after every write, the finest
// interleaving that other requests can cause.
if (process.env.COMMIT_AT_ONCE) {
  const cancelled = new WeakSet<object>();
  globalThis.setImmediate = ((work: () => void) => {
    const immediate = {};
    queueMicrotask(() => cancelled.has(immediate) || work());
    return immediate;
  }) as unknown as typeof setImmediate;
  globalThis.clearImmediate = ((immediate?: object) => {
    if (immediate) cancelled.add(immediate);
  }) as typeof clearImmediate;
}
