/** A run over time: its wait, its agents with those inside of them, and their steps, model calls and tools. */

import { nodeOf } from '../data/node-id.ts';
import { type AgentView, keyOf, type ModelCall, type StepView, type ToolView } from '../data/run-view.ts';
import type { Run } from '../data/runs.ts';

export interface WaterfallRow {
  key: string;
  /** 0: the run's own; 1: of an agent of the root graph; more: inside of another. */
  depth: number;
  kind: 'wait' | 'agent' | 'step' | 'call' | 'tool';
  label: string;
  /** Of an agent that runs several times, which time this is. */
  number: number | undefined;
  /** The graph's node that it belongs to. */
  node: string | undefined;
  execution: number | undefined;
  state: 'running' | 'good' | 'bad' | 'wait';
  start: number;
  /** Undefined while it goes on. */
  end: number | undefined;
  /** When a call's first token came. */
  mark: number | undefined;
  tokens: number;
}

/** In the order of their beginnings, inside of what they belong to. `waits`: what has not ended waits for a person. */
export function waterfallRows(run: Run, agents: AgentView[], waits: boolean): WaterfallRow[] {
  const [created, started] = [
    Date.parse(run.created_at),
    run.started_at ? Date.parse(run.started_at) : undefined,
  ];
  const rows: WaterfallRow[] = [];
  if (started === undefined || started - created > 1) {
    const wait = { kind: 'wait' as const, label: 'waited', node: undefined, execution: undefined };
    rows.push({ ...rowOf({ key: 'wait', ...wait, startedAt: created }, 0), state: 'wait', end: started });
  }
  const inside = Map.groupBy(
    agents.toSorted((a, b) => a.startedAt - b.startedAt),
    (agent) => outerOf(agent, agents),
  );
  const several = new Set(agents.filter(({ execution }) => execution > 1).map(nodeOf));
  const drawn = (outer: AgentView | undefined, depth: number): WaterfallRow[][] =>
    (inside.get(outer) ?? []).map((agent) => {
      const own = agentRow(agent, depth);
      const pieces = [...workRows(agent, depth + 1).map((row) => [row]), ...drawn(agent, depth + 1)];
      const sorted = pieces.toSorted(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0));
      return [{ ...own, number: several.has(nodeOf(agent)) ? agent.execution : undefined }, ...sorted.flat()];
    });
  rows.push(...drawn(undefined, 1).flat());
  // The page may have begun to look while a person was waited for: the run's end is the end of what it shows.
  const over = run.finished_at ? Date.parse(run.finished_at) : undefined;
  return rows.map((row) =>
    row.state === 'running' && waits
      ? { ...row, state: 'wait', end: Math.max(row.start, over ?? row.start) }
      : row,
  );
}

export function extentOf(run: Run, rows: WaterfallRow[], now: number): { start: number; end: number } {
  const start = Math.min(Date.parse(run.created_at), ...rows.map((row) => row.start));
  const ends = rows.map(({ end }) => end ?? now);
  const end = Math.max(start + 1, run.finished_at ? Date.parse(run.finished_at) : 0, ...ends);
  return { start, end };
}

/** The execution inside of which it worked: of the node that its path names, the last that had begun. */
function outerOf({ path, startedAt }: AgentView, agents: AgentView[]): AgentView | undefined {
  const outer = path.join(':');
  const around = agents.filter((one) => nodeOf(one) === outer && one.startedAt <= startedAt);
  return (
    around.findLast(({ startedAt: begun, durationMs = Infinity }) => startedAt <= begun + durationMs) ??
    around.at(-1)
  );
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

interface CallOf {
  node: string;
  execution: number;
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

type Begun = Pick<WaterfallRow, 'key' | 'kind' | 'label' | 'node' | 'execution'> & {
  state?: AgentView['state'];
  startedAt: number;
  durationMs?: number | undefined;
};

function rowOf(begun: Begun, depth: number): WaterfallRow {
  const { key, kind, label, node, execution, state = 'started', startedAt: start, durationMs } = begun;
  const end = durationMs === undefined ? undefined : start + durationMs;
  const named = { key, depth, kind, label, number: undefined, node, execution };
  return { ...named, state: STATES[state], start, end, mark: undefined, tokens: 0 };
}

const STATES = { started: 'running', finished: 'good', failed: 'bad' } as const;
