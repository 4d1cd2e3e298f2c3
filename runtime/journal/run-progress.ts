/** What a run's agents have done: their state, their attempts, what they have said, and the record of their work. */
import type { Attempts } from '../../graphs/authoring/run-context.ts';
import { agentOf, type NewEntry, type TaskEnd, type TaskStart } from '../../state/events.ts';
import type { AgentReport, WorkRecord } from '../../state/run-trace.ts';
import type { Usage } from '../../state/runs.ts';
import { toldUsage } from './reported-usage.ts';
import { type RunRecords, runRecords } from './run-records.ts';

export interface RunProgress {
  /** True when `entry` is the first text of its agent's attempt. */
  note(entry: NewEntry): boolean;
  /** Notes an entry that an earlier process stored. Call it before everything else. */
  restore(entry: NewEntry): void;
  agents(): AgentReport[];
  /** Of the agents that said to the earlier process that they had finished, only these have left their work. */
  left(agents: string[]): void;
  attempts: Attempts;
  record: RunRecords['begin'];
  /** What the events say that was used. */
  told: Usage;
  text(): string;
}

/** Work is over that is not done again: an agent's, or a step's. */
export function workFinished({ kind, body }: NewEntry): boolean {
  return kind === 'task_end' && body.state === 'finished';
}

export function runProgress(): RunProgress {
  const told = toldUsage();
  const records = runRecords();
  const reports = new Map<string, Omit<AgentReport, keyof WorkRecord>>();
  const texts = new Map<string, string>();
  /** The attempt in which each agent is that has not finished. */
  const going = new Map<string, number>();
  /** The attempts with which each agent has finished. */
  const finished = new Map<string, number[]>();
  /** The last attempts of agents whose work the end of an earlier process cut off. */
  const unfinished = new Map<string, number>();

  function note(entry: NewEntry): boolean {
    told.note(entry);
    const agent = agentOf(entry);
    if (entry.kind === 'task' && entry.body.part === undefined) noteStart(agent, entry.body);
    if (entry.kind === 'task_end' && entry.body.part === undefined) noteEnd(agent, entry.body);
    return entry.kind === 'message' && noteText(agent, entry.body.delta);
  }

  function noteStart(agent: string, { attempt = 1 }: TaskStart): void {
    const startedAt = startOf(agent);
    reports.set(agent, { agent, state: 'started', startedAt, durationMs: null });
    // A further attempt says everything anew.
    if (attempt > 1) texts.delete(agent);
    going.set(agent, attempt);
  }

  function noteEnd(agent: string, { state, attempt = 1, started_at, duration_ms }: TaskEnd): void {
    // It goes on when a person has answered.
    if (state === 'interrupted') return;
    // The entry of its end says when it began, also where another process notes it.
    const startedAt = started_at === undefined ? startOf(agent) : Date.parse(started_at);
    reports.set(agent, { agent, state, startedAt, durationMs: duration_ms });
    // One that failed is tried again only where the service stopped it.
    if (state === 'failed') going.set(agent, attempt);
    else {
      going.delete(agent);
      finished.set(agent, [...(finished.get(agent) ?? []), attempt]);
    }
  }

  /** Of an agent that begins anew while it works: when it began first. */
  function startOf(agent: string): number {
    const known = reports.get(agent);
    return known?.state === 'started' ? known.startedAt : Date.now();
  }

  function noteText(agent: string, text: string): boolean {
    const before = texts.get(agent);
    texts.set(agent, (before ?? '') + text);
    return before === undefined;
  }

  return {
    note,
    restore(entry) {
      note(entry);
      records.restore(entry);
      if ((entry.kind !== 'task' && entry.kind !== 'task_end') || entry.body.part !== undefined) return;
      const agent = agentOf(entry);
      const attempt = going.get(agent);
      if (attempt === undefined) unfinished.delete(agent);
      else unfinished.set(agent, attempt);
    },
    agents: () => Array.from(reports.values(), (report) => ({ ...report, ...records.of(report.agent) })),
    record: records.begin,
    told: told.total,
    left(agents) {
      for (const [agent, attempts] of finished) {
        const kept = agents.filter((name) => name === agent).length;
        const last = attempts.at(-1);
        if (attempts.length > kept && last !== undefined) unfinished.set(agent, last);
      }
    },
    attempts: {
      first(agent) {
        const attempt = (unfinished.get(agent) ?? 0) + 1;
        unfinished.delete(agent);
        return attempt;
      },
      current: (agent) => going.get(agent) ?? 1,
    },
    text: () => responseText(Array.from(texts, ([agent, content]) => ({ agent, content }))),
  };
}

/** What several agents said as one text: one agent: its own; several: a block each. */
export function responseText(outputs: { agent: string; content: string }[]): string {
  if (outputs.length === 1) return outputs[0]?.content ?? '';
  return outputs.map(({ agent, content }) => `${agent}: ${content}`).join('\n\n');
}
