/** The state of a graph's nodes and edges in a run. */
import { nodeOf, type Worker, workAt } from '../data/runs/node-id.ts';
import type { AgentView, Usage } from '../data/runs/run-view.ts';
import type { ShownGraph } from './shown-graph.ts';
import { takenEdges } from './taken-edges.ts';

export type NodeStatus = 'idle' | 'running' | 'good' | 'bad' | 'waiting' | 'cancelled';

export interface NodeState {
  status: NodeStatus;
  durationMs: number | undefined;
  /** When the latest execution started. */
  startedAt: number | undefined;
  usage: Usage | undefined;
  /** The number of executions or, for a single one, of its attempts. */
  times: number;
  /** Set if the run has stopped at a breakpoint here. */
  stop?: Stop['when'];
}

export interface GraphState {
  nodes: Map<string, NodeState>;
  /** The number of times that an edge was taken, by `source→target`. */
  taken: ReadonlyMap<string, number>;
}

const IDLE: NodeState = {
  status: 'idle',
  durationMs: undefined,
  startedAt: undefined,
  usage: undefined,
  times: 0,
};

export interface RunEnd {
  /** Whether the run is waiting for a person. Unfinished work is then what asks. */
  waits: boolean;
  /** Whether the run has succeeded. */
  ended: boolean;
  /** The breakpoints at which the run has stopped. */
  stops?: Stop[] | undefined;
}

export type Stop = Worker & { when: 'before' | 'after' };

export function graphState(graph: ShownGraph, agents: AgentView[], end: RunEnd): GraphState {
  const { waits, ended, stops = [] } = end;
  const stopped = new Map(stops.map((stop) => [nodeOf(stop), stop.when]));
  const states = graph.nodes.map(({ id, kind }): [string, NodeState] => {
    if (kind === 'start') return [id, { ...IDLE, status: agents.length > 0 ? 'good' : 'idle' }];
    if (kind === 'end') return [id, { ...IDLE, status: ended ? 'good' : 'idle' }];
    const state = nodeState(agents, id, waits);
    const stop = stopped.get(id);
    return [id, stop ? { ...state, status: 'waiting', stop } : state];
  });
  return { nodes: new Map(states), taken: takenEdges(graph, agents, ended) };
}

function nodeState(agents: AgentView[], node: string, waits: boolean): NodeState {
  const { executions, step } = workAt(agents, node);
  const isOwn = <Part extends { step?: string }>(part: Part) => step === undefined || part.step === step;
  const parts = step === undefined ? executions : executions.flatMap(({ steps }) => steps.filter(isOwn));
  const last = parts.findLast(({ state }) => state === 'started') ?? parts.at(-1);
  if (!last) return IDLE;
  // Include the model calls of inner nodes.
  const inside = agents.filter((agent) => step === undefined && nodeOf(agent).startsWith(`${node}:`));
  const calls = [...executions, ...inside].flatMap((agent) => agent.calls.filter(isOwn));
  return {
    status: statusOf(last.state, waits),
    durationMs: totalOf(parts),
    startedAt: last.startedAt,
    usage: calls.length > 0 ? usageOf(calls) : undefined,
    times: parts.length > 1 ? parts.length : attemptsOf(executions, step),
  };
}

/** The total duration of the ended executions; undefined if none has ended. */
function totalOf(parts: { durationMs: number | undefined }[]): number | undefined {
  const times = parts.flatMap(({ durationMs }) => durationMs ?? []);
  return times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0);
}

function attemptsOf([only]: AgentView[], step: string | undefined): number {
  return step === undefined ? (only?.attempt ?? 1) : 1;
}

function statusOf(state: AgentView['state'], waits: boolean): NodeStatus {
  if (state === 'started') return waits ? 'waiting' : 'running';
  if (state === 'cancelled') return 'cancelled';
  return state === 'finished' ? 'good' : 'bad';
}

function usageOf(calls: Usage[]): Usage {
  const usage = { input_tokens: 0, output_tokens: 0 };
  for (const { input_tokens, output_tokens } of calls) {
    usage.input_tokens += input_tokens;
    usage.output_tokens += output_tokens;
  }
  return usage;
}
