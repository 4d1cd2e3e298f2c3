/** Tells code in a graph factory whether the factory is called for a run or only to describe the graph. */
import { AsyncLocalStorageProviderSingleton as storage } from '@langchain/core/singletons';

const KEY = '__skein_making_graph';

/** Calls a factory. In a run, the config of the run stays in effect. */
export function makingGraph<T>(make: () => T): T {
  if (storage.getRunnableConfig()) return make();
  return storage.runWithConfig({ configurable: { [KEY]: true } }, make) as T;
}

export function isMakingGraph(): boolean {
  return storage.getRunnableConfig()?.configurable?.[KEY] === true;
}
