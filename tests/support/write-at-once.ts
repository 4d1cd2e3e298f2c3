/** Preloaded into a service: with COMMIT_AT_ONCE, each of its writes is committed before the next is queued. */

// Writes share a transaction where nobody reads between them. Here somebody always does, which is the finest that other
// requests can make of it.
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
