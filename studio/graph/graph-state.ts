/** What a run has done with each node and edge of its graph. */

import type { AgentView, Usage } from '../data/run-view.ts';
import type { GraphEdge } from '../data/workflows.ts';
import { agentOf, stepOf } from './node-id.ts';
import type { ShownGraph } from './shown-graph.ts';

export type NodeStatus = 'idle' | 'running' | 'good' | 'bad' | 'waiting';

export interface NodeState {
  status: NodeStatus;
  durationMs: number | undefined;
  /** Of one that goes on. */
  startedAt: number | undefined;
  usage: Usage | undefined;
  /** How often it ran, where that is more than once. */
  times: number;
}

export interface GraphState {
  nodes: Map<string, NodeState>;
  /** `source→target` of the edges that were taken. */
  taken: Set<string>;
}

const IDLE: NodeState = {
  status: 'idle',
  durationMs: undefined,
  startedAt: undefined,
  usage: undefined,
  times: 0,
};

/** `waits`: the run waits for a person, so what has begun and not ended is what asks. `ended`: it succeeded. */
export function graphState(
  { nodes, edges }: ShownGraph,
  agents: AgentView[],
  { waits, ended }: { waits: boolean; ended: boolean },
): GraphState {
  const byName = new Map(agents.map((agent) => [agent.agent, agent]));
  const states = nodes.map(({ id, kind }): [string, NodeState] => {
    if (kind === 'start') return [id, { ...IDLE, status: agents.length > 0 ? 'good' : 'idle' }];
    if (kind === 'end') return [id, { ...IDLE, status: ended ? 'good' : 'idle' }];
    const agent = byName.get(agentOf(id) ?? id);
    return [id, agent ? nodeState(agent, stepOf(id), waits) : IDLE];
  });
  const taken = edges
    .filter((edge) => wasTaken(edge, byName, ended))
    .map(({ source, target }) => `${source}→${target}`);
  return { nodes: new Map(states), taken: new Set(taken) };
}

function nodeState(agent: AgentView, step: string | undefined, waits: boolean): NodeState {
  if (step === undefined) {
    const { durationMs, startedAt, usage } = agent;
    return { status: statusOf(agent.state, waits), durationMs, startedAt, usage, times: agent.attempt };
  }
  const own = agent.steps.filter((one) => one.step === step);
  const last = own.at(-1);
  if (!last) return IDLE;
  const calls = agent.calls.filter((call) => call.step === step);
  const usage = calls.length > 0 ? usageOf(calls) : undefined;
  const durationMs = own.reduce((sum, one) => sum + (one.durationMs ?? 0), 0);
  return {
    status: statusOf(last.state, waits),
    durationMs,
    startedAt: last.startedAt,
    usage,
    times: own.length,
  };
}

function statusOf(state: AgentView['state'], waits: boolean): NodeStatus {
  if (state === 'started') return waits ? 'waiting' : 'running';
  return state === 'finished' ? 'good' : 'bad';
}

/** What runs one after another has taken the edge between; what ends a run has taken the edge to its end. */
function wasTaken({ source, target }: GraphEdge, agents: Map<string, AgentView>, ended: boolean): boolean {
  const [from, to] = [agents.get(agentOf(source) ?? source), agents.get(agentOf(target) ?? target)];
  const [left, entered] = [stepOf(source), stepOf(target)];
  if (from && from === to) return followed(from, left, entered);
  const leaves = from
    ? from.state === 'finished' && (left === undefined || from.steps.at(-1)?.step === left)
    : true;
  const enters = to ? entered === undefined || to.steps[0]?.step === entered : false;
  if (isEnd(target)) return ended && from !== undefined && leaves;
  if (!to || !enters) return false;
  return from ? leaves && from.startedAt <= to.startedAt : isStart(source);
}

function followed({ steps }: AgentView, left: string | undefined, entered: string | undefined): boolean {
  return steps.some(({ step }, index) => step === entered && steps[index - 1]?.step === left);
}

const isStart = (id: string) => id.endsWith('__start__');
const isEnd = (id: string) => id.endsWith('__end__');

function usageOf(calls: Usage[]): Usage {
  const usage = { input_tokens: 0, output_tokens: 0 };
  for (const { input_tokens, output_tokens } of calls) {
    usage.input_tokens += input_tokens;
    usage.output_tokens += output_tokens;
  }
  return usage;
}
