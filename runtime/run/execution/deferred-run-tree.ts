/** Defers the construction of the LangSmith run tree of each node until something reads it. */
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  _CONTEXT_VARIABLES_KEY as CONTEXT_VARIABLES,
  AsyncLocalStorageProviderSingleton as storage,
} from '@langchain/core/singletons';
import { getEnvironmentVariable } from '@langchain/core/utils/env';
import { runIn } from '../../../graphs/authoring/run/run-context.ts';

const TRACING = ['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING', 'LANGCHAIN_TRACING'];
const TRACER = 'langchain_tracer';
const NODE = Symbol('the node that a deferred run tree belongs to');

const stock = { runWithConfig: storage.runWithConfig, getRunnableConfig: storage.getRunnableConfig };

/** A running node: what LangChain needs to construct its run tree, and the tree once it is constructed. */
interface Node {
  config: RunnableConfig | undefined;
  /** The value of the async local storage around the node; the tree inherits its context variables. */
  around: Tree | undefined;
  tree?: Tree;
}

interface Tree {
  tracingEnabled?: boolean;
  [CONTEXT_VARIABLES]?: unknown;
  [NODE]?: Node;
}

/**
 * LangChain constructs an untraced run tree for every node, only to carry the node's config through async local storage.
 * That is a fifth of the processor time of a short graph. Here the storage holds a proxy instead, and the first access to
 * anything but the config makes LangChain construct its usual tree. Runs that LangSmith traces keep LangChain's own path.
 * Work of a run with OpenTelemetry spans is called within its span. Overrides two public methods of LangChain's storage
 * provider; a second call changes nothing.
 */
export function deferRunTrees(): void {
  storage.runWithConfig = (config, work, avoidCreatingRootRunTree) => {
    const spans = config && runIn(config)?.spans;
    const callback = spans ? () => spans.within(config, work) : work;
    const instance = storage.getInstance();
    const around = instance.getStore() as Tree | undefined;
    if (avoidCreatingRootRunTree || around?.tracingEnabled || isTraced(config))
      return stock.runWithConfig.call(storage, config, callback, avoidCreatingRootRunTree) as ReturnType<
        typeof callback
      >;
    return instance.run(new Proxy<Node>({ config, around }, DEFERRED), callback);
  };
  storage.getRunnableConfig = () => {
    const node = (storage.getInstance().getStore() as Tree | undefined)?.[NODE];
    return node && !node.tree ? node.config : stock.getRunnableConfig.call(storage);
  };
}

/** LangChain's own rule. The environment is read each time, since a service may set it after this module is loaded. */
function isTraced(config: RunnableConfig | undefined): boolean {
  const callbacks = config?.callbacks;
  const handlers = callbacks && 'handlers' in callbacks ? callbacks.handlers : callbacks;
  if (handlers?.some((handler) => 'name' in handler && handler.name === TRACER)) return true;
  return isTracingOn();
}

export function isTracingOn(): boolean {
  return TRACING.some((name) => getEnvironmentVariable(name) === 'true');
}

function treeOf(node: Node): Tree {
  node.tree ??= storage
    .getInstance()
    .run(node.around, () =>
      stock.runWithConfig.call(storage, node.config, () => storage.getInstance().getStore()),
    ) as Tree;
  return node.tree;
}

const DEFERRED: ProxyHandler<Node> = {
  get(node, key) {
    if (key === NODE) return node;
    // LangChain reads these two for every runnable inside the node, so they must not construct the tree.
    if (key === 'tracingEnabled' && !node.tree) return false;
    if (key === CONTEXT_VARIABLES && !node.tree) return node.around?.[CONTEXT_VARIABLES];
    return Reflect.get(treeOf(node), key);
  },
  set: (node, key, value) => Reflect.set(treeOf(node), key, value),
  has: (node, key) => Reflect.has(treeOf(node), key),
  deleteProperty: (node, key) => Reflect.deleteProperty(treeOf(node), key),
  ownKeys: (node) => Reflect.ownKeys(treeOf(node)),
  getOwnPropertyDescriptor: (node, key) => Reflect.getOwnPropertyDescriptor(treeOf(node), key),
  defineProperty: (node, key, descriptor) => Reflect.defineProperty(treeOf(node), key, descriptor),
  getPrototypeOf: (node) => Reflect.getPrototypeOf(treeOf(node)),
};
