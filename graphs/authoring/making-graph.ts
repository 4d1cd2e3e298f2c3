/** Tells what a function that makes graphs uses that it is called for one, in a run or to describe it. */
import { AsyncLocalStorageProviderSingleton as storage } from '@langchain/core/singletons';

const KEY = '__skein_making_graph';

/** Within a run it stays the run's config. */
export function makingGraph<T>(make: () => T): T {
  if (storage.getRunnableConfig()) return make();
  return storage.runWithConfig({ configurable: { [KEY]: true } }, make) as T;
}

export function isMakingGraph(): boolean {
  return storage.getRunnableConfig()?.configurable?.[KEY] === true;
}
