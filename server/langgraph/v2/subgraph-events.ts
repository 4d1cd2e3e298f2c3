/** When the graphs inside a run begin and end. */
import type { LogEntry } from '../../../state/events.ts';
import type { Unnumbered } from './event.ts';

interface Inside {
  namespace: string[];
  graph_name: string;
  isOver: boolean;
}

export interface SubgraphsOfRun {
  /** Those that an entry is the first to tell of. */
  before(entry: LogEntry): Unnumbered[];
  /** Those that ended with it. */
  after(entry: LogEntry): Unnumbered[];
  end(event: string): Unnumbered[];
}

type Json = Record<string, unknown>;

/** `hasTasks`: the log has LangGraph's own stream of tasks. */
export function subgraphsOf(hasTasks: boolean): SubgraphsOfRun {
  const all = new Map<string, Inside>();
  /** The call of a tool that a task makes, by the task's id. */
  const calls = new Map<string, string>();

  /** A graph begins with its first task; its name stands with the tasks of LangGraph's stream. */
  function isFirst(entry: LogEntry): boolean {
    if (entry.kind === 'stream') return entry.body.mode === 'tasks';
    if (entry.kind === 'task') return !hasTasks;
    return (
      entry.kind === 'task_end' ||
      entry.kind === 'message' ||
      entry.kind === 'tool' ||
      entry.kind === 'custom'
    );
  }

  function begin(namespace: string[], name: unknown): Unnumbered[] {
    const key = namespace.join('|');
    if (all.has(key)) return [];
    const [node, id] = segmentOf(namespace);
    const isNamed = typeof name === 'string' && name !== '';
    const graph_name = isNamed ? name : node;
    all.set(key, { namespace, graph_name, isOver: false });
    const call = isNamed ? calls.get(id) : undefined;
    const cause = call === undefined ? {} : { cause: { type: 'toolCall', tool_call_id: call } };
    return [told(namespace, { event: 'started', graph_name, ...cause })];
  }

  function over(inside: Inside, event: string): Unnumbered[] {
    if (inside.isOver) return [];
    inside.isOver = true;
    return [told(inside.namespace, { event, graph_name: inside.graph_name })];
  }

  return {
    before(entry) {
      const { ns = [] } = entry;
      const task =
        entry.kind === 'stream' && entry.body.mode === 'tasks' && 'data' in entry.body ? entry.body.data : {};
      const { id, input, metadata } = (task ?? {}) as Json;
      const call = callIn(input);
      if (typeof id === 'string' && call !== undefined) calls.set(id, call);
      if (!isFirst(entry)) return [];
      const name = (metadata as Json | undefined)?.lc_agent_name;
      return ns.flatMap((_, level) =>
        begin(ns.slice(0, level + 1), level === ns.length - 1 ? name : undefined),
      );
    },
    after(entry) {
      if (entry.kind !== 'task_end' || entry.body.part !== undefined) return [];
      const { ns = [], taskId, body } = entry;
      const event = body.state === 'finished' ? 'completed' : body.state;
      const inner = [...all.values()].filter(
        ({ namespace }) => segmentOf(namespace.slice(0, ns.length + 1))[1] === taskId,
      );
      return inner.reverse().flatMap((one) => over(one, event));
    },
    end: (event) => [...all.values()].reverse().flatMap((one) => over(one, event)),
  };
}

function told(namespace: string[], data: Json): Unnumbered {
  return { method: 'lifecycle', namespace, data: () => data };
}

/** Of the innermost graph: its node, and the id of its task. Nodes may have colons in their names. */
function segmentOf(namespace: string[]): [node: string, id: string] {
  const last = namespace.at(-1) ?? '';
  const colon = last.lastIndexOf(':');
  return [last.slice(0, colon), last.slice(colon + 1)];
}

function callIn(input: unknown): string | undefined {
  const all = Array.isArray(input) ? input : [(input as Json | undefined)?.tool_call];
  return all.map((one) => (one as Json | undefined)?.id).find((id) => typeof id === 'string') as
    | string
    | undefined;
}
