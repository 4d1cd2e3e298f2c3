/** A run's event log: numbered from 1, tokens joined, stored in pieces. */
import type { AgentReport, EventBatch, Events, RunEvent } from '../state/state.ts';

// Long enough that a fast answer is one row, short enough that a reader never sees it lag.
const JOIN_MS = 20;

export interface RunLog {
  emit(event: RunEvent): void;
  /** What has not been stored yet; null when there is nothing. The run's end stores it with itself. */
  take(): EventBatch | null;
  agents(): AgentReport[];
}

/** `earlier`: what an earlier process has stored of the run; the numbers go on after it. */
export function runLog(runId: string, events: Events, earlier: EventBatch[] = []): RunLog {
  let pending: RunEvent[] = [];
  let next = (earlier.at(-1)?.last ?? 0) + 1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const agents = new Map<string, AgentReport>();
  for (const { event, data } of earlier.flatMap((batch) => batch.events)) {
    if (event === 'agent') note(agents, data as AgentEvent);
  }

  function take(): EventBatch | null {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length === 0) return null;
    const batch = { first: next, last: next + pending.length - 1, events: pending };
    next += pending.length;
    pending = [];
    return batch;
  }

  function store(): void {
    const batch = take();
    if (batch) events.append(runId, batch);
  }

  return {
    emit(event) {
      if (event.event === 'agent') note(agents, event.data as AgentEvent);
      if (!joined(pending.at(-1), event)) pending.push(event);
      timer ??= setTimeout(store, JOIN_MS);
    },
    take,
    agents: () => [...agents.values()],
  };
}

interface AgentEvent {
  agent: string;
  state: AgentReport['state'];
  duration_ms?: number;
}

function note(agents: Map<string, AgentReport>, { agent, state, duration_ms }: AgentEvent): void {
  const startedAt = agents.get(agent)?.startedAt ?? Date.now();
  agents.set(agent, { agent, state, startedAt, durationMs: duration_ms ?? null });
}

interface TokenEvent {
  agent: string;
  text: string;
}

/** Adds a token to the event before it, where that is one of the same agent. */
function joined(last: RunEvent | undefined, event: RunEvent): boolean {
  if (event.event !== 'token' || last?.event !== 'token') return false;
  const [before, added] = [last.data as TokenEvent, event.data as TokenEvent];
  if (before.agent !== added.agent) return false;
  last.data = { agent: before.agent, text: before.text + added.text };
  return true;
}
