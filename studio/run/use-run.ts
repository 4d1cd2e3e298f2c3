/** A run, combined from its stored record and its event stream. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { followRun } from '../../client/follow-run.ts';
import type { RunStreamEvent } from '../../client/run-events.ts';
import { mergeAgents } from '../data/runs/merge-agents.ts';
import { readTurn } from '../data/runs/read-turn.ts';
import { isOver, isPartOfTurn } from '../data/runs/run-ended.ts';
import { type AgentView, agentsOfRun, keyOf } from '../data/runs/run-view.ts';
import { type Run, readRun } from '../data/runs/runs.ts';
import { settled, type TurnPart, turnOf } from '../data/runs/turn.ts';
import { onThreadChanges } from '../service/connection.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { options, SERVICE } from '../service/service.ts';
import { type LiveRun, type LiveView, liveRun, useLiveRun } from './live-run.ts';

export interface KnownRun {
  run: Run | undefined;
  view: LiveView | undefined;
  /** The run's events. The array grows in place. */
  log: RunStreamEvent[];
  /** The runs of its turn, oldest first; empty until the run is loaded. */
  parts: TurnPart[];
  /** The agents of the whole turn. For runs that have ended, these are the stored agents, completed from the events. */
  agents: AgentView[];
  error: Error | undefined;
  /** Whether the turn is waiting for a person. */
  waits: boolean;
  /** Whether the turn has succeeded. */
  succeeded: boolean;
}

/** `shared` is a stream of the run that is already being read. Without one, this opens its own. */
export function useRun(runId: string | undefined, shared: LiveRun | undefined): KnownRun {
  const { data: run, error } = useResource(runId && `run:${runId}`, () => readRun(runId ?? ''));
  const [own, setOwn] = useState<LiveRun>();
  const isShared = shared !== undefined;
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` follows the run again when the connection is restored
  useEffect(() => {
    if (runId === undefined || isShared) return;
    const live = liveRun((signal) => followRun(SERVICE, runId, { ...options, signal }));
    setOwn(live);
    void live.over.then(() => live.view().ended && invalidate(`run:${runId}`));
    const unsubscribe = onThreadChanges((threads) => {
      if (threads === undefined && live.view().failure) setAttempt((before) => before + 1);
    });
    return () => {
      unsubscribe();
      live.stop();
    };
  }, [runId, isShared, attempt]);
  const source = shared ?? own;
  const live = useLiveRun(source);
  // For a moment, this is still the view of the previous run.
  const view = live?.run && live.run.run_id !== runId ? undefined : live;
  const { data: turn } = useResource(
    run && isPartOfTurn(run) ? `run:turn:${run.run_id}` : undefined,
    async () => (run ? readTurn(run) : []),
  );
  const facts = useMemo(() => factsOf(run, turn, view), [run, turn, view]);
  return { run, view, log: (view && source?.log) ?? NO_EVENTS, error, ...facts };
}

/** Returns the previous list while only texts have changed, so that components without text don't render again. */
export function useAgentsIgnoringText(agents: AgentView[]): AgentView[] {
  const last = useRef(agents);
  const isSame =
    last.current.length === agents.length &&
    agents.every((agent, index) => differsOnlyInText(agent, last.current[index]));
  if (!isSame) last.current = agents;
  return last.current;
}

function differsOnlyInText(agent: AgentView, before: AgentView | undefined): boolean {
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

function factsOf(run: Run | undefined, turn: Run[] | undefined, view: LiveView | undefined) {
  const over = run !== undefined && isOver(run);
  const own = settled(
    mergeAgents(over ? run : undefined, view?.agents ?? []),
    run,
    view?.ended === true && !view.waits,
  );
  if (!run) return { agents: own, parts: [], ...endOf(undefined, view) };
  const parts = (turn ?? [run]).map((part) =>
    part.run_id === run.run_id
      ? { run, agents: own }
      : { run: part, agents: settled(agentsOfRun(part), part, false) },
  );
  const last = parts.at(-1)?.run ?? run;
  return { ...turnOf(parts), ...endOf(last, last === run ? view : undefined) };
}

function endOf(run: Run | undefined, view: LiveView | undefined) {
  if (run && isOver(run))
    return { waits: run.status === 'interrupted', succeeded: run.status === 'succeeded' };
  const waits = view?.waits ?? false;
  return { waits, succeeded: view?.response !== undefined && !waits };
}
