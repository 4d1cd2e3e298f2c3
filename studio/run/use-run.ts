/** A run as it is known: as it is stored, and as its events tell. */
import { useEffect, useRef, useState } from 'react';
import { followRun, type RunStreamEvent } from '../../client/client.ts';
import { knownAgents } from '../data/known-agents.ts';
import { type AgentView, keyOf } from '../data/run-view.ts';
import { isOver, type Run, readRun } from '../data/runs.ts';
import { invalidate, useResource } from '../resources.ts';
import { options, SERVICE } from '../service.ts';
import { type LiveRun, type LiveView, liveRun, useLiveRun } from './live-run.ts';

export interface KnownRun {
  run: Run | undefined;
  view: LiveView | undefined;
  /** Its events; grows in place. */
  log: RunStreamEvent[];
  /** The stored ones once the run is over, with what the events said of them. */
  agents: AgentView[];
  error: Error | undefined;
  waits: boolean;
  succeeded: boolean;
}

/** `heard`: where somebody listens already. */
export function useRun(runId: string | undefined, heard: LiveRun | undefined): KnownRun {
  const { data: run, error } = useResource(runId && `run:${runId}`, () => readRun(runId ?? ''));
  const [own, setOwn] = useState<LiveRun>();
  const isHeard = heard !== undefined;
  useEffect(() => {
    if (runId === undefined || isHeard) return;
    const live = liveRun((signal) => followRun(SERVICE, runId, { ...options, signal }));
    setOwn(live);
    void live.over.then(() => live.view().ended && invalidate(`run:${runId}`));
    return () => live.stop();
  }, [runId, isHeard]);
  const source = heard ?? own;
  const live = useLiveRun(source);
  // Of the run before, for a moment.
  const view = live?.run && live.run.run_id !== runId ? undefined : live;
  return { run, view, log: (view && source?.log) ?? NO_EVENTS, error, ...factsOf(run, view) };
}

/** The same list as before while nothing but words has come: what draws no words need not draw anew. */
export function useWordless(agents: AgentView[]): AgentView[] {
  const last = useRef(agents);
  const isSame =
    last.current.length === agents.length &&
    agents.every((agent, index) => differsInWords(agent, last.current[index]));
  if (!isSame) last.current = agents;
  return last.current;
}

function differsInWords(agent: AgentView, before: AgentView | undefined): boolean {
  return (
    before !== undefined &&
    keyOf(agent) === keyOf(before) &&
    agent.state === before.state &&
    agent.attempt === before.attempt &&
    agent.startedAt === before.startedAt &&
    agent.usage === before.usage &&
    agent.steps === before.steps &&
    agent.calls === before.calls &&
    agent.tools === before.tools
  );
}

const NO_EVENTS: RunStreamEvent[] = [];

function factsOf(run: Run | undefined, view: LiveView | undefined) {
  const over = run !== undefined && isOver(run);
  const waits = (view?.waits ?? false) || run?.status === 'interrupted';
  const succeeded = over ? run.status === 'succeeded' : view?.response !== undefined && !waits;
  return { agents: knownAgents(over ? run : undefined, view?.agents ?? []), waits, succeeded };
}
