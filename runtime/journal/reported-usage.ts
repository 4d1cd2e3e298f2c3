/** Sums the usage of model calls that a run's log reports; that part of the usage needs no separate write. */

import { type NewEntry, taskRefOf } from '../../state/threads/events.ts';
import type { ModelCallEntry } from '../../state/threads/run-trace.ts';
import type { RunUsage, Usage } from '../../state/threads/runs.ts';
import { addUsage, costOfAll, noUsage, type UsageSum, usedBy } from '../../state/usage/model-usage.ts';

export interface ReportedUsage {
  note(entry: NewEntry): void;
  total: UsageSum;
}

export function reportedUsage(): ReportedUsage {
  const total = noUsage();
  /** The calls of unfinished tasks, by task id. The end of a task reports the calls of its steps again. */
  const open = new Map<string, ModelCallEntry[]>();

  function add(calls: ModelCallEntry[], sign?: 1 | -1): void {
    for (const call of calls) addUsage(total, call.model, usedBy(call), sign);
  }

  return {
    total,
    note(entry) {
      if (entry.kind !== 'task_end' || !entry.body.calls) return;
      const work = taskRefOf(entry).id;
      const { part, state, calls } = entry.body;
      add(calls);
      const before = open.get(work) ?? [];
      if (part !== undefined) {
        open.set(work, [...before, ...calls]);
        return;
      }
      add(before, -1);
      if (state === 'finished') open.delete(work);
      else open.set(work, calls);
    },
  };
}

/** The larger of the stored usage and the usage in the log, for each model: either can be newer. */
export function knownUsage(written: RunUsage, reported: UsageSum): RunUsage {
  const models = new Map(reported.models);
  for (const [model, usage] of written.models ?? [])
    models.set(model, more(usage, reported.models.get(model)));
  const cost = costOfAll(models);
  return { ...more(written, reported), ...(cost !== undefined && { cost }), models };
}

function more(a: Usage, b: Usage = { inputTokens: 0, outputTokens: 0 }): Usage {
  const cost = Math.max(a.cost ?? 0, b.cost ?? 0);
  return {
    inputTokens: Math.max(a.inputTokens, b.inputTokens),
    outputTokens: Math.max(a.outputTokens, b.outputTokens),
    ...((a.cost !== undefined || b.cost !== undefined) && { cost }),
  };
}
