/** Lets nodes use the lent store directly instead of through LangGraph's wrapper. */
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { CompiledGraph } from '../workflow.ts';

/** LangGraph's `AsyncBatchedStore`, from the copy that a graph uses. */
interface Wrapper {
  store: BaseStore;
}

type Method = (this: Wrapper, ...given: unknown[]) => unknown;

/** Where a graph first handles the wrapper, before any node runs. */
interface Looping {
  _runLoop?(given: { loop: { store?: Wrapper } }): Promise<void>;
}

/** Stores whose wrappers delegate. */
const lent = new WeakSet<BaseStore>();
const HANDED_ON = ['get', 'search', 'put', 'delete', 'listNamespaces', 'batch'] as const;
const mended = new WeakSet<object>();

/**
 * The wrapper batches the calls of nodes and has three faults: `listNamespaces` throws, `put` drops a time to live, and a timer
 * polls for work every millisecond while the graph runs. The timer makes a turn with one node 1 ms longer, which doubles
 * LangGraph's own time, and with 256 waiting runs, it keeps a sixth of a core busy. Lent stores batch their writes themselves.
 * So the class of the wrapper is changed to delegate to them; other stores are not affected.
 */
export function unwrapStore(graph: CompiledGraph, store: BaseStore): void {
  const looping = graph as CompiledGraph & Looping;
  const run = looping._runLoop;
  if (!run) return;
  lent.add(store);
  looping._runLoop = (given) => {
    if (given.loop.store) mend(Object.getPrototypeOf(given.loop.store));
    return run.call(looping, given);
  };
}

/** Each copy of LangGraph has its own class, which its wrappers in subgraphs share. */
function mend(prototype: Record<string, Method>): void {
  if (mended.has(prototype)) return;
  mended.add(prototype);
  for (const name of HANDED_ON) {
    const own = prototype[name];
    prototype[name] = function (...given) {
      if (!lent.has(this.store)) return own?.apply(this, given);
      return (this.store as unknown as Record<string, Method>)[name]?.apply(this.store as never, given);
    };
  }
  // Don't start the polling loop. A loop that is already running is still stopped by its own `stop`.
  const start = prototype.start;
  prototype.start = function () {
    return lent.has(this.store) ? undefined : start?.call(this);
  };
}
