/** The commands that read a thread: its state, its checkpoints, and the tree of graphs of its newest run. */
import { Type } from '@sinclair/typebox';
import { toThreadState } from '../threads/thread-state.ts';
import { type CommandCall, checkedParams, requireThread } from './command-call.ts';
import { threadEvents } from './thread-events.ts';

const Namespace = Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 100 }));

const StateGet = Type.Object(
  {
    namespace: Namespace,
    keys: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000 })),
  },
  { additionalProperties: true },
);

const ListCheckpoints = Type.Object(
  {
    namespace: Namespace,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    before: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: true },
);

export async function stateGet(call: CommandCall): Promise<Record<string, unknown>> {
  const { namespace = [], keys } = checkedParams(StateGet, call.params);
  const thread = await requireThread(call);
  const reference = namespace.length > 0 ? { checkpoint_ns: namespace.join('|') } : {};
  const { values, checkpoint } = toThreadState(
    thread.threadId,
    await call.services.states.at(thread, reference),
  );
  const { checkpoint_id: id, checkpoint_ns: ns } = checkpoint;
  return { values: keys ? pickKeys(values, keys) : values, ...(id !== null && { checkpoint: { id, ns } }) };
}

function pickKeys(values: unknown, keys: string[]): unknown {
  const entries = Object.entries((values ?? {}) as object).filter(([key]) => keys.includes(key));
  return Object.fromEntries(entries);
}

export async function listCheckpoints(call: CommandCall): Promise<Record<string, unknown>> {
  const { namespace = [], limit = 10, before } = checkedParams(ListCheckpoints, call.params);
  const thread = await requireThread(call);
  const checkpoint = namespace.length > 0 ? { checkpoint_ns: namespace.join('|') } : {};
  const states = await call.services.states.history(thread, { limit, before, checkpoint });
  const checkpoints = states.map((state) => {
    const { checkpoint, parent_checkpoint, metadata, created_at } = toThreadState(thread.threadId, state);
    const { source, step } = metadata;
    const parent = parent_checkpoint?.checkpoint_id;
    return {
      ...{ id: checkpoint.checkpoint_id, timestamp: created_at, step, source },
      ...(parent && { parent_id: parent }),
    };
  });
  return { checkpoints };
}

interface GraphNode {
  namespace: string[];
  status: string;
  graph_name: string;
  children: GraphNode[];
}

/** The tree of graphs of the newest run, from its lifecycle events so far. */
export async function agentTree(call: CommandCall): Promise<Record<string, unknown>> {
  const { owner, threadId, workflow } = await requireThread(call);
  const stopped = new AbortController();
  let root: GraphNode = { namespace: [], status: 'started', graph_name: workflow, children: [] };
  for await (const events of threadEvents(call.services, { owner, threadId, signal: stopped.signal })) {
    if (events.length === 0) break;
    for (const { method, namespace, data } of events) {
      if (method !== 'lifecycle') continue;
      const { event: status, graph_name } = (await data()) as { event: string; graph_name: string };
      if (namespace.length === 0 && status === 'running')
        root = { namespace, status, graph_name, children: [] };
      else Object.assign(nodeAt(root, namespace, graph_name), { status, graph_name });
    }
  }
  return { tree: toJson(root) };
}

/** Finds the node of a namespace. Adds missing nodes. */
function nodeAt(root: GraphNode, namespace: string[], graph_name: string): GraphNode {
  return namespace.reduce((node, _, level) => {
    const path = namespace.slice(0, level + 1);
    const existing = node.children.find((child) => child.namespace[level] === path[level]);
    const child = existing ?? { namespace: path, status: 'started', graph_name, children: [] };
    if (!existing) node.children.push(child);
    return child;
  }, root);
}

function toJson({ children, ...node }: GraphNode): Record<string, unknown> {
  return { ...node, ...(children.length > 0 && { children: children.map(toJson) }) };
}
