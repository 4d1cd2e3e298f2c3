/** A run over time: its wait, its agents, their steps and their model calls. */

import type { AgentView, ModelCall, StepView } from '../data/run-view.ts';
import type { Run } from '../data/runs.ts';

export interface WaterfallRow {
  key: string;
  /** 0: the run's own; 1: an agent's; 2: inside of one. */
  depth: 0 | 1 | 2;
  kind: 'wait' | 'agent' | 'step' | 'call';
  label: string;
  /** The graph's node that it belongs to. */
  node: string | undefined;
  state: 'running' | 'good' | 'bad' | 'wait';
  start: number;
  /** Undefined while it goes on. */
  end: number | undefined;
  /** When a call's first token came. */
  mark: number | undefined;
  tokens: number;
}

/** In the order of their beginnings, inside of what they belong to. */
export function waterfallRows(run: Run, agents: AgentView[]): WaterfallRow[] {
  const [created, started] = [
    Date.parse(run.created_at),
    run.started_at ? Date.parse(run.started_at) : undefined,
  ];
  const rows: WaterfallRow[] = [];
  if (started === undefined || started - created > 1) {
    rows.push({
      ...{ key: 'wait', depth: 0, kind: 'wait', label: 'waited', node: undefined, state: 'wait' },
      ...{ start: created, end: started, mark: undefined, tokens: 0 },
    });
  }
  for (const agent of agents.toSorted((a, b) => a.startedAt - b.startedAt)) rows.push(...agentRows(agent));
  return rows;
}

export function extentOf(run: Run, rows: WaterfallRow[], now: number): { start: number; end: number } {
  const start = Math.min(Date.parse(run.created_at), ...rows.map((row) => row.start));
  const ends = rows.map(({ end }) => end ?? now);
  const end = Math.max(start + 1, run.finished_at ? Date.parse(run.finished_at) : 0, ...ends);
  return { start, end };
}

function agentRows(agent: AgentView): WaterfallRow[] {
  const { agent: name, state, startedAt, durationMs, usage, steps, calls } = agent;
  const own: WaterfallRow = {
    ...{ key: name, depth: 1, kind: 'agent', label: name, node: name, state: STATES[state] },
    ...{ start: startedAt, end: endOf(startedAt, durationMs), mark: undefined },
    tokens: usage ? usage.input_tokens + usage.output_tokens : 0,
  };
  const inside = [
    ...steps.map((step, index) => stepRow(name, step, index)),
    ...calls.map((call, index) => callRow(name, call, index)),
  ];
  return [own, ...inside.toSorted((a, b) => a.start - b.start)];
}

function stepRow(
  agent: string,
  { step, state, startedAt, durationMs }: StepView,
  index: number,
): WaterfallRow {
  return {
    ...{ key: `${agent} step ${index}`, depth: 2, kind: 'step', label: step, node: `${agent}:${step}` },
    ...{
      state: STATES[state],
      start: startedAt,
      end: endOf(startedAt, durationMs),
      mark: undefined,
      tokens: 0,
    },
  };
}

function callRow(agent: string, call: ModelCall, index: number): WaterfallRow {
  const start = Date.parse(call.started_at);
  return {
    ...{ key: `${agent} call ${index}`, depth: 2, kind: 'call', label: `${call.task} · ${call.model}` },
    node: call.step ? `${agent}:${call.step}` : agent,
    state: call.error_code ? 'bad' : 'good',
    ...{
      start,
      end: start + call.duration_ms,
      mark: call.first_token_ms === null ? undefined : start + call.first_token_ms,
    },
    tokens: call.input_tokens + call.output_tokens,
  };
}

const STATES = { started: 'running', finished: 'good', failed: 'bad' } as const;

function endOf(start: number, duration: number | undefined): number | undefined {
  return duration === undefined ? undefined : start + duration;
}
