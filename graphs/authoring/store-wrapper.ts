/** Nodes reach the lent store itself, where LangGraph puts a wrapper before it. */
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { CompiledGraph } from './workflow.ts';

/** LangGraph's `AsyncBatchedStore`, of whichever copy of it a graph is made with. */
interface Wrapper {
  store: BaseStore;
}

type Method = (this: Wrapper, ...given: unknown[]) => unknown;

/** The place where a graph first has the wrapper in hands, before any node runs. */
interface Looping {
  _runLoop?(given: { loop: { store?: Wrapper } }): Promise<void>;
}

/** Stores whose wrappers hand on. */
const lent = new WeakSet<BaseStore>();
const HANDED_ON = ['get', 'search', 'put', 'delete', 'listNamespaces', 'batch'] as const;
const mended = new WeakSet<object>();

/**
 * The wrapper collects what nodes ask for and passes it on by `batch`, with three faults: `listNamespaces` throws, `put`
 * drops a time to live, and a timer looks for work every millisecond while the graph runs. That timer makes a one-node
 * turn 1 ms longer, as much again as LangGraph needs for it, and 256 waiting runs keep a sixth of a core busy. Lent
 * stores batch their writes themselves. So the wrapper's class learns to hand on to them; other stores it treats as before.
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

/** Each copy of LangGraph has a class of its own. Its wrappers within subgraphs are of it, too. */
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
  // What would look for work. One that was started before is still stopped by its own `stop`.
  const start = prototype.start;
  prototype.start = function () {
    return lent.has(this.store) ? undefined : start?.call(this);
  };
}
