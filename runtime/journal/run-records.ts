/** What the agents of a run have rendered, called and done: of this process, and of those before it. */

import type { AgentEvent, RunEvent, StatusEvent } from '../../state/events.ts';
import { addPrompt, emptyRecord, type WorkRecord } from '../../state/run-trace.ts';

export interface RunRecords {
  /** Takes what an event of an earlier process says. */
  restore(event: RunEvent): void;
  /** A new record of an agent's work, or that of its work that was cut off, without the steps that begin anew. */
  begin(agent: string): WorkRecord;
  /** All of an agent's work as one. */
  of(agent: string): WorkRecord;
}

export function runRecords(): RunRecords {
  const records = new Map<string, WorkRecord[]>();
  /** Of work that has not finished. */
  const open = new Map<string, WorkRecord>();

  function added(agent: string): WorkRecord {
    const record = emptyRecord();
    records.set(agent, [...(records.get(agent) ?? []), record]);
    return record;
  }

  function opened(agent: string): WorkRecord {
    const record = open.get(agent) ?? added(agent);
    open.set(agent, record);
    return record;
  }

  function restoreAgent({ agent, state, prompts, calls }: AgentEvent): void {
    const record = opened(agent);
    // They have those of its steps among them.
    if (prompts) record.prompts = prompts;
    if (calls) record.calls = calls;
    if (state === 'finished') open.delete(agent);
  }

  function restoreStep({ agent, step, state, started_at, duration_ms, prompts, calls }: StatusEvent): void {
    if (!step || !state || !started_at) return;
    const record = opened(agent);
    record.steps.push({ step, state, started_at, duration_ms: duration_ms ?? null });
    for (const used of prompts ?? []) addPrompt(record, used);
    record.calls.push(...(calls ?? []));
  }

  return {
    restore({ event, data }) {
      if (event === 'agent') restoreAgent(data);
      if (event === 'status') restoreStep(data);
    },
    begin(agent) {
      const cut = open.get(agent);
      if (!cut) return added(agent);
      open.delete(agent);
      cut.steps = cut.steps.filter(({ state }) => state === 'finished');
      return cut;
    },
    of(agent) {
      const whole = emptyRecord();
      for (const { prompts, calls, steps } of records.get(agent) ?? []) {
        for (const used of prompts) addPrompt(whole, used);
        whole.calls.push(...calls);
        whole.steps.push(...steps);
      }
      return whole;
    },
  };
}
