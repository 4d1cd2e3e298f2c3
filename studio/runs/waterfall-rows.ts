/** The rows of a waterfall: waits, agents with inner agents, steps, model calls and tool calls. */
import { CONVERSATION, nodeOf } from '../data/runs/node-id.ts';
import { isOver } from '../data/runs/run-ended.ts';
import {
  type AgentView,
  keyOf,
  type ModelCall,
  type StepView,
  type ToolView,
} from '../data/runs/run-view.ts';
import type { Run } from '../data/runs/runs.ts';
import type { TurnPart } from '../data/runs/turn.ts';

export interface WaterfallRow {
  key: string;
  /** 0 for the run, 1 for an agent of the root graph, more for work inside an agent. */
  depth: number;
  kind: 'wait' | 'agent' | 'step' | 'call' | 'tool';
  label: string;
  /** The number of the execution, if the agent runs several times. */
  number: number | undefined;
  /** The node of the graph that it belongs to. */
  node: string | undefined;
  execution: number | undefined;
  state: 'running' | 'good' | 'bad' | 'wait' | 'cancelled';
  start: number;
  /** Undefined while it is active. */
  end: number | undefined;
  /** The time of a call's first token. */
  mark: number | undefined;
  tokens: number;
}

/** The rows of all runs of a turn, with the waits for a person between them. `waits`: the last run is waiting. */
export function turnRows(parts: TurnPart[], waits: boolean): WaterfallRow[] {
  const all = parts.flatMap(({ agents }) => agents);
  return parts.flatMap(({ run, agents }, index) => {
    const asked = parts[index - 1]?.run.finished_at;
    const answered = Date.parse(run.created_at);
    const wait = asked && waitRow('Waited for you', `asked ${run.run_id}`, Date.parse(asked), answered);
    const rows = partRows(run, agents, all, waits || index < parts.length - 1);
    const own = parts.length === 1 ? rows : rows.map((row) => ({ ...row, key: `${run.run_id} ${row.key}` }));
    return wait ? [wait, ...own] : own;
  });
}

/**
 * The rows of one run, nested, in the order of their start. `all` are the agents of the turn. `waits`: unfinished work is
 * waiting for a person.
 */
function partRows(run: Run, agents: AgentView[], all: AgentView[], waits: boolean): WaterfallRow[] {
  const [created, started] = [
    Date.parse(run.created_at),
    run.started_at ? Date.parse(run.started_at) : undefined,
  ];
  const rows: WaterfallRow[] = [];
  if (started === undefined ? !isOver(run) : started - created > 1)
    rows.push(waitRow('Queued', 'wait', created, started));
  const inside = Map.groupBy(
    agents.toSorted((a, b) => a.startedAt - b.startedAt),
    (agent) => outerOf(agent, agents),
  );
  const several = new Set(all.filter(({ execution }) => execution > 1).map(nodeOf));
  const rowsIn = (outer: AgentView | undefined, depth: number): WaterfallRow[][] =>
    (inside.get(outer) ?? []).map((agent) => {
      const own = agentRow(agent, depth);
      const pieces = [...workRows(agent, depth + 1).map((row) => [row]), ...rowsIn(agent, depth + 1)];
      const sorted = pieces.toSorted(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0));
      return [{ ...own, number: several.has(nodeOf(agent)) ? agent.execution : undefined }, ...sorted.flat()];
    });
  rows.push(...rowsIn(undefined, 1).flat());
  // If the page was opened during the wait, it doesn't know when the work paused, so use the end of the run.
  const over = run.finished_at ? Date.parse(run.finished_at) : undefined;
  return rows.map((row) =>
    row.state === 'running' && waits
      ? { ...row, state: 'wait', end: Math.max(row.start, over ?? row.start) }
      : row,
  );
}

function waitRow(label: string, key: string, startedAt: number, end: number | undefined): WaterfallRow {
  const wait = { kind: 'wait' as const, label, key, node: undefined, execution: undefined };
  return { ...rowOf({ ...wait, startedAt }, 0), state: 'wait', end };
}

export function extentOf(runs: Run[], rows: WaterfallRow[], now: number): { start: number; end: number } {
  const begins = runs.map(({ created_at }) => Date.parse(created_at));
  const start = Math.min(...begins, ...rows.map((row) => row.start));
  const ends = rows.map(({ end }) => end ?? now);
  const overs = runs.map(({ finished_at }) => (finished_at ? Date.parse(finished_at) : 0));
  const end = Math.max(start + 1, ...overs, ...ends);
  return { start, end };
}

/** The execution whose subgraph contains this one. */
function outerOf({ parentTask }: AgentView, agents: AgentView[]): AgentView | undefined {
  return parentTask === undefined ? undefined : agents.find(({ taskId }) => taskId === parentTask);
}

function agentRow(agent: AgentView, depth: number): WaterfallRow {
  const { usage } = agent;
  const named = { kind: 'agent' as const, label: agent.agent, node: nodeOf(agent) };
  return {
    ...rowOf({ ...agent, ...named, key: keyOf(agent) }, depth),
    tokens: usage ? usage.input_tokens + usage.output_tokens : 0,
  };
}

function workRows(agent: AgentView, depth: number): WaterfallRow[] {
  const { steps, calls, tools, execution } = agent;
  const [node, key] = [nodeOf(agent), keyOf(agent)];
  return [
    ...steps.map((step: StepView, index) => {
      const named = { kind: 'step' as const, label: step.step, node: `${node}:${step.step}`, execution };
      return rowOf({ ...step, ...named, key: `${key} step ${index}` }, depth);
    }),
    ...calls.map((call, index) => callRow(call, { node, execution, key: `${key} call ${index}` }, depth)),
    ...tools.map((tool: ToolView, index) => {
      const named = { kind: 'tool' as const, label: tool.tool, node, execution };
      return rowOf({ ...tool, ...named, key: `${key} tool ${index}` }, depth);
    }),
  ];
}

/** Rows for calls that belong to the conversation, under a pseudo-node. */
export function asideRows(calls: ModelCall[]): WaterfallRow[] {
  if (calls.length === 0) return [];
  const of = { node: CONVERSATION, execution: undefined };
  const rows = calls.map((call, index) => callRow(call, { ...of, key: `${CONVERSATION} ${index}` }, 2));
  const start = Math.min(...rows.map((row) => row.start));
  const end = Math.max(...rows.map((row) => row.end ?? row.start));
  const named = { kind: 'agent' as const, label: 'conversation', key: CONVERSATION, ...of };
  const state = rows.some((row) => row.state === 'bad') ? ('failed' as const) : ('finished' as const);
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  return [{ ...rowOf({ ...named, state, startedAt: start, durationMs: end - start }, 1), tokens }, ...rows];
}

interface CallOf {
  node: string;
  execution: number | undefined;
  key: string;
}

function callRow(call: ModelCall, { node, execution, key }: CallOf, depth: number): WaterfallRow {
  const startedAt = Date.parse(call.started_at);
  const named = { kind: 'call' as const, label: `${call.task} · ${call.model}`, execution, key };
  const state = call.error_code ? ('failed' as const) : ('finished' as const);
  const row = { ...named, node: call.step ? `${node}:${call.step}` : node, state, startedAt };
  return {
    ...rowOf({ ...row, durationMs: call.duration_ms }, depth),
    mark: call.first_token_ms === null ? undefined : startedAt + call.first_token_ms,
    tokens: call.input_tokens + call.output_tokens,
  };
}

type RowSource = Pick<WaterfallRow, 'key' | 'kind' | 'label' | 'node' | 'execution'> & {
  state?: AgentView['state'];
  startedAt: number;
  durationMs?: number | undefined;
};

function rowOf(source: RowSource, depth: number): WaterfallRow {
  const { key, kind, label, node, execution, state = 'started', startedAt: start, durationMs } = source;
  const end = durationMs === undefined ? undefined : start + durationMs;
  const named = { key, depth, kind, label, number: undefined, node, execution };
  return { ...named, state: STATES[state], start, end, mark: undefined, tokens: 0 };
}

const STATES = { started: 'running', finished: 'good', failed: 'bad', cancelled: 'cancelled' } as const;
