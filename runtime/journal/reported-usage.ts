/** What the events of a run say that its model calls have used: what they say need not be written anywhere else. */

import { type NewEntry, workingOf } from '../../state/events.ts';
import { usageOf } from '../../state/run-trace.ts';
import type { Usage } from '../../state/runs.ts';

export interface ToldUsage {
  note(entry: NewEntry): void;
  total: Usage;
}

export function toldUsage(): ToldUsage {
  const total: Usage = { inputTokens: 0, outputTokens: 0 };
  /** By the id of the work, of that has not finished: its end says this once more. */
  const open = new Map<string, Usage>();

  function add(to: Usage, { input_tokens, output_tokens }: ReturnType<typeof usageOf>): void {
    to.inputTokens += input_tokens;
    to.outputTokens += output_tokens;
  }

  return {
    total,
    note(entry) {
      if (entry.kind !== 'task_end' || !entry.body.calls) return;
      const work = workingOf(entry).id;
      const { part, state, calls } = entry.body;
      const said = usageOf(calls);
      add(total, said);
      const before = open.get(work) ?? { inputTokens: 0, outputTokens: 0 };
      if (part !== undefined) {
        add(before, said);
        open.set(work, before);
        return;
      }
      total.inputTokens -= before.inputTokens;
      total.outputTokens -= before.outputTokens;
      if (state === 'finished') open.delete(work);
      else open.set(work, { inputTokens: said.input_tokens, outputTokens: said.output_tokens });
    },
  };
}

/** What was written of a run's usage, or what its events say where that is more: they may be newer. */
export function knownUsage(written: Usage, told: Usage): Usage {
  return {
    inputTokens: Math.max(written.inputTokens, told.inputTokens),
    outputTokens: Math.max(written.outputTokens, told.outputTokens),
  };
}
