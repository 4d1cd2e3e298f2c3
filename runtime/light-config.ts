/** Lets LangChain hand a node its config without making a tracer's run tree anew, where there is no tracer. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { _CONTEXT_VARIABLES_KEY, AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';

const CONFIG = Symbol.for('lc:child_config');
const TRACING = ['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING', 'LANGCHAIN_TRACING'];
const TRACER = 'langchain_tracer';

const storage = AsyncLocalStorageProviderSingleton;
const withRunTree = storage.runWithConfig;

/** What is used of LangSmith's run tree, which holds the config. */
interface RunTree {
  id: string;
  dotted_order: string;
  extra: object;
  [_CONTEXT_VARIABLES_KEY]?: unknown;
}

/**
 * For each node that runs, LangChain makes a run tree of LangSmith's to hold the config that calls further down find: its
 * ids and dates are a tenth of a turn's time. Where no tracer listens, it has an id of its own and all else from one that
 * is made once, so that whatever looks at it finds what it expects.
 */
export function lightenConfig(): void {
  if (TRACING.some((name) => process.env[name] === 'true')) return;
  const model = withRunTree.call(storage, undefined, () => storage.getInstance().getStore()) as RunTree;
  storage.runWithConfig = (config, callback, avoidCreatingRootRunTree) => {
    if (avoidCreatingRootRunTree || traced(config))
      return withRunTree.call(storage, config, callback, avoidCreatingRootRunTree) as ReturnType<
        typeof callback
      >;
    const instance = storage.getInstance();
    const tree = like(model, config);
    const before = instance.getStore() as RunTree | undefined;
    if (before?.[_CONTEXT_VARIABLES_KEY] !== undefined)
      tree[_CONTEXT_VARIABLES_KEY] = before[_CONTEXT_VARIABLES_KEY];
    return instance.run(tree, callback);
  };
}

function like(model: RunTree, config: unknown): RunTree {
  const id = crypto.randomUUID();
  // The time that it begins with, and the id.
  const dotted_order = model.dotted_order.slice(0, -id.length) + id;
  const extra = { ...model.extra, [CONFIG]: config };
  return { __proto__: model, id, trace_id: id, dotted_order, child_runs: [], extra } as RunTree;
}

/** Whether a workflow has brought a tracer of its own. */
function traced(config: RunnableConfig | undefined): boolean {
  const { callbacks } = config ?? {};
  const handlers = callbacks && 'handlers' in callbacks ? callbacks.handlers : callbacks;
  return handlers?.some((handler) => 'name' in handler && handler.name === TRACER) ?? false;
}
