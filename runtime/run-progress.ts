/** What the events of a run say of its agents: their state, their attempts, and what they have said. */
import type { AgentEvent, AgentReport, AgentText, EventBatch, RunEvent } from '../state/state.ts';

export interface RunProgress {
  /** True when `event` is the first token of its agent's attempt. */
  note(event: RunEvent): boolean;
  agents(): AgentReport[];
  /** Of the agents that said to the earlier process that they had finished, only these have left their work. */
  left(agents: string[]): void;
  nextAttempt(agent: string): number;
  text(): string;
}

export function agentFinished({ event, data }: RunEvent): boolean {
  return event === 'agent' && data.state === 'finished';
}

/** `earlier`: the events that an earlier process has stored. */
export function runProgress(earlier: EventBatch[]): RunProgress {
  const reports = new Map<string, AgentReport>();
  const texts = new Map<string, string>();
  /** The attempt in which each agent is that has not finished. */
  const going = new Map<string, number>();
  /** The attempts with which each agent has finished. */
  const finished = new Map<string, number[]>();

  function note({ event, data }: RunEvent): boolean {
    if (event === 'agent') noteAgent(data);
    return event === 'token' && noteToken(data);
  }

  function noteAgent({ agent, state, attempt, duration_ms }: AgentEvent): void {
    const startedAt = reports.get(agent)?.startedAt ?? Date.now();
    reports.set(agent, { agent, state, startedAt, durationMs: duration_ms ?? null });
    // A further attempt says everything anew.
    if (state === 'started' && attempt > 1) texts.delete(agent);
    // One that failed is tried again only where the service stopped it.
    if (state !== 'finished') going.set(agent, attempt);
    else {
      going.delete(agent);
      finished.set(agent, [...(finished.get(agent) ?? []), attempt]);
    }
  }

  function noteToken({ agent, text }: AgentText): boolean {
    const before = texts.get(agent);
    texts.set(agent, (before ?? '') + text);
    return before === undefined;
  }

  for (const event of earlier.flatMap(({ events }) => events)) note(event);
  /** Agents in the middle of whose work the earlier process ended. */
  const unfinished = new Map(going);

  return {
    note,
    agents: () => [...reports.values()],
    left(agents) {
      for (const [agent, attempts] of finished) {
        const kept = agents.filter((name) => name === agent).length;
        const last = attempts.at(-1);
        if (attempts.length > kept && last !== undefined) unfinished.set(agent, last);
      }
    },
    nextAttempt(agent) {
      const attempt = (unfinished.get(agent) ?? 0) + 1;
      unfinished.delete(agent);
      return attempt;
    },
    text: () => responseText(Array.from(texts, ([agent, content]) => ({ agent, content }))),
  };
}

/** What several agents said as one text: one agent: its own; several: a block each. */
export function responseText(outputs: { agent: string; content: string }[]): string {
  if (outputs.length === 1) return outputs[0]?.content ?? '';
  return outputs.map(({ agent, content }) => `${agent}: ${content}`).join('\n\n');
}
