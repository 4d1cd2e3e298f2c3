/** Lets LangChain hand a node its config without the run tree of a tracer that nobody has. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { _CONTEXT_VARIABLES_KEY, AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';

const CONFIG = Symbol.for('lc:child_config');
const TRACING = ['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING', 'LANGCHAIN_TRACING'];
const TRACER = 'langchain_tracer';

const storage = AsyncLocalStorageProviderSingleton;
const withRunTree = storage.runWithConfig;

interface Store {
  extra?: Record<symbol, unknown>;
  [_CONTEXT_VARIABLES_KEY]?: unknown;
}

/**
 * For each node that runs, LangChain makes a run tree of LangSmith's, with ids and dates of its own, to hold the config
 * that calls further down find: a tenth of a turn's time. Where no tracer listens, a plain object holds it.
 */
export function lightenConfig(): void {
  if (TRACING.some((name) => process.env[name] === 'true')) return;
  storage.runWithConfig = (config, callback, avoidCreatingRootRunTree) => {
    if (avoidCreatingRootRunTree || traced(config))
      return withRunTree.call(storage, config, callback, avoidCreatingRootRunTree) as ReturnType<
        typeof callback
      >;
    const instance = storage.getInstance();
    const store: Store = { extra: { [CONFIG]: config } };
    const before = instance.getStore() as Store | undefined;
    if (before?.[_CONTEXT_VARIABLES_KEY] !== undefined)
      store[_CONTEXT_VARIABLES_KEY] = before[_CONTEXT_VARIABLES_KEY];
    return instance.run(store, callback);
  };
}

/** Whether a workflow has brought a tracer of its own. */
function traced(config: RunnableConfig | undefined): boolean {
  const { callbacks } = config ?? {};
  const handlers = callbacks && 'handlers' in callbacks ? callbacks.handlers : callbacks;
  return handlers?.some((handler) => 'name' in handler && handler.name === TRACER) ?? false;
}
