/** Derives the lifecycle events of subgraphs from the log of a run. */
import type { LogEntry } from '../../../state/threads/events.ts';
import type { UnnumberedEvent } from './event.ts';

interface Subgraph {
  namespace: string[];
  graph_name: string;
  hasEnded: boolean;
}

export interface SubgraphTracker {
  /** Returns the start events of the subgraphs whose first entry this is. */
  before(entry: LogEntry): UnnumberedEvent[];
  /** Returns the end events of subgraphs that end with the entry. */
  after(entry: LogEntry): UnnumberedEvent[];
  /** Ends all subgraphs at the end of the run. `event`: how they ended. */
  end(event: string): UnnumberedEvent[];
}

type Json = Record<string, unknown>;

/** `hasTasks`: whether the log has LangGraph's own `tasks` stream. */
export function trackSubgraphs(hasTasks: boolean): SubgraphTracker {
  const subgraphs = new Map<string, Subgraph>();
  /** The id of the tool call that a task executes, by task id. */
  const toolCalls = new Map<string, string>();

  /** A subgraph starts with its first task. If the log has LangGraph's tasks, wait for these: they contain the subgraph's name. */
  function isStart(entry: LogEntry): boolean {
    if (entry.kind === 'stream') return entry.body.mode === 'tasks';
    if (entry.kind === 'task') return !hasTasks;
    return (
      entry.kind === 'task_end' ||
      entry.kind === 'message' ||
      entry.kind === 'tool' ||
      entry.kind === 'custom'
    );
  }

  function start(namespace: string[], name: unknown): UnnumberedEvent[] {
    const key = namespace.join('|');
    if (subgraphs.has(key)) return [];
    const [node, id] = segmentOf(namespace);
    const isNamed = typeof name === 'string' && name !== '';
    const graph_name = isNamed ? name : node;
    subgraphs.set(key, { namespace, graph_name, hasEnded: false });
    const toolCallId = isNamed ? toolCalls.get(id) : undefined;
    const cause = toolCallId === undefined ? {} : { cause: { type: 'toolCall', tool_call_id: toolCallId } };
    return [lifecycleEvent(namespace, { event: 'started', graph_name, ...cause })];
  }

  function finish(subgraph: Subgraph, event: string): UnnumberedEvent[] {
    if (subgraph.hasEnded) return [];
    subgraph.hasEnded = true;
    return [lifecycleEvent(subgraph.namespace, { event, graph_name: subgraph.graph_name })];
  }

  return {
    before(entry) {
      const { ns = [] } = entry;
      const task =
        entry.kind === 'stream' && entry.body.mode === 'tasks' && 'data' in entry.body ? entry.body.data : {};
      const { id, input, metadata } = (task ?? {}) as Json;
      const toolCallId = toolCallIdOf(input);
      if (typeof id === 'string' && toolCallId !== undefined) toolCalls.set(id, toolCallId);
      if (!isStart(entry)) return [];
      const name = (metadata as Json | undefined)?.lc_agent_name;
      return ns.flatMap((_, level) =>
        start(ns.slice(0, level + 1), level === ns.length - 1 ? name : undefined),
      );
    },
    after(entry) {
      if (entry.kind !== 'task_end' || entry.body.part !== undefined) return [];
      const { ns = [], taskId, body } = entry;
      const event = body.state === 'finished' ? 'completed' : body.state;
      const ended = [...subgraphs.values()].filter(
        ({ namespace }) => segmentOf(namespace.slice(0, ns.length + 1))[1] === taskId,
      );
      return ended.reverse().flatMap((subgraph) => finish(subgraph, event));
    },
    end: (event) => [...subgraphs.values()].reverse().flatMap((subgraph) => finish(subgraph, event)),
  };
}

function lifecycleEvent(namespace: string[], data: Json): UnnumberedEvent {
  return { method: 'lifecycle', namespace, data: () => data };
}

/** The node and the task id of the innermost subgraph. Names of nodes may contain colons. */
function segmentOf(namespace: string[]): [node: string, id: string] {
  const last = namespace.at(-1) ?? '';
  const colon = last.lastIndexOf(':');
  return [last.slice(0, colon), last.slice(colon + 1)];
}

function toolCallIdOf(input: unknown): string | undefined {
  const calls = Array.isArray(input) ? input : [(input as Json | undefined)?.tool_call];
  return calls.map((call) => (call as Json | undefined)?.id).find((id) => typeof id === 'string') as
    | string
    | undefined;
}
