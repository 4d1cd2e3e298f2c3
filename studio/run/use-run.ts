/** A run as it is known: as it is stored, and as its events tell. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { followRun } from '../../client/follow-run.ts';
import type { RunStreamEvent } from '../../client/run-events.ts';
import { whenChanged } from '../connection.ts';
import { knownAgents } from '../data/known-agents.ts';
import { readTurn } from '../data/read-turn.ts';
import { isOver, isPart } from '../data/run-ended.ts';
import { type AgentView, agentsOfRun, keyOf } from '../data/run-view.ts';
import { type Run, readRun } from '../data/runs.ts';
import { settled, type TurnPart, turnOf } from '../data/turn.ts';
import { invalidate, useResource } from '../resources.ts';
import { options, SERVICE } from '../service.ts';
import { type LiveRun, type LiveView, liveRun, useLiveRun } from './live-run.ts';

export interface KnownRun {
  run: Run | undefined;
  view: LiveView | undefined;
  /** Its events; grows in place. */
  log: RunStreamEvent[];
  /** The runs of its turn, the oldest first; none until the run is read. */
  parts: TurnPart[];
  /** Of the whole turn; the stored ones once a run is over, with what the events said of them. */
  agents: AgentView[];
  error: Error | undefined;
  /** The turn waits for a person. */
  waits: boolean;
  /** The turn has succeeded. */
  succeeded: boolean;
}

/** `heard`: where somebody listens already. */
export function useRun(runId: string | undefined, heard: LiveRun | undefined): KnownRun {
  const { data: run, error } = useResource(runId && `run:${runId}`, () => readRun(runId ?? ''));
  const [own, setOwn] = useState<LiveRun>();
  const isHeard = heard !== undefined;
  const [attempt, tryAgain] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: followed once more where the service is back
  useEffect(() => {
    if (runId === undefined || isHeard) return;
    const live = liveRun((signal) => followRun(SERVICE, runId, { ...options, signal }));
    setOwn(live);
    void live.over.then(() => live.view().ended && invalidate(`run:${runId}`));
    const unhear = whenChanged((threads) => {
      if (threads === undefined && live.view().failure) tryAgain((before) => before + 1);
    });
    return () => {
      unhear();
      live.stop();
    };
  }, [runId, isHeard, attempt]);
  const source = heard ?? own;
  const live = useLiveRun(source);
  // Of the run before, for a moment.
  const view = live?.run && live.run.run_id !== runId ? undefined : live;
  const { data: turn } = useResource(run && isPart(run) ? `run:turn:${run.run_id}` : undefined, async () =>
    run ? readTurn(run) : [],
  );
  const facts = useMemo(() => factsOf(run, turn, view), [run, turn, view]);
  return { run, view, log: (view && source?.log) ?? NO_EVENTS, error, ...facts };
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

function factsOf(run: Run | undefined, turn: Run[] | undefined, view: LiveView | undefined) {
  const over = run !== undefined && isOver(run);
  const own = settled(
    knownAgents(over ? run : undefined, view?.agents ?? []),
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
