/** What the agents of a run have rendered, called and done: of this process, and of those before it. */

import { agentOf, type NewEntry, type TaskEnd } from '../../state/events.ts';
import { addPrompt, emptyRecord, type WorkRecord } from '../../state/run-trace.ts';

export interface RunRecords {
  /** Takes what an entry of an earlier process says. */
  restore(entry: NewEntry): void;
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

  function restoreAgent(agent: string, { state, prompts, calls }: TaskEnd): void {
    const record = opened(agent);
    // They have those of its steps among them.
    if (prompts) record.prompts = prompts;
    if (calls) record.calls = calls;
    if (state === 'finished') open.delete(agent);
  }

  function restoreStep(agent: string, { part, state, started_at, duration_ms, ...added }: TaskEnd): void {
    if (part === undefined || state === 'interrupted' || !started_at) return;
    const { prompts = [], calls = [] } = added;
    const record = opened(agent);
    record.steps.push({ step: part, state, started_at, duration_ms });
    for (const used of prompts) addPrompt(record, used);
    record.calls.push(...calls);
  }

  return {
    restore(entry) {
      const agent = agentOf(entry);
      if (entry.kind === 'task' && entry.body.part === undefined) opened(agent);
      if (entry.kind !== 'task_end') return;
      if (entry.body.part === undefined) restoreAgent(agent, entry.body);
      else restoreStep(agent, entry.body);
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
