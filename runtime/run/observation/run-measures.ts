/** Reports the metrics of a run: its time in the queue and the time to its first text. */
import type { Claim } from '../../../state/threads/coordination.ts';
import type { NewEntry } from '../../../state/threads/events.ts';
import type { ServiceMetrics } from '../../service-metrics.ts';
import type { AcceptedRun } from '../accepted-run.ts';

export interface RunMeasures {
  /** Call it when the run starts. */
  claimed(claim: Pick<Claim, 'lease'>): void;
  /** Takes each entry of the run's log. */
  note(entry: NewEntry): void;
}

export function runMeasures(
  metrics: ServiceMetrics,
  { workflow, createdAt, notBefore }: Pick<AcceptedRun, 'workflow' | 'createdAt' | 'notBefore'>,
): RunMeasures {
  let began = Date.now();
  let hasSpoken = false;
  return {
    claimed({ lease }) {
      began = Date.now();
      // A later claim continues a run whose time in the queue was already reported.
      if (lease.number > 1) return;
      metrics.runClaimed(Math.max(0, began - Math.max(createdAt, notBefore ?? 0)) / 1000);
    },
    note({ kind, body }) {
      if (hasSpoken || kind !== 'message' || body.delta === '') return;
      hasSpoken = true;
      metrics.firstToken(workflow, (Date.now() - began) / 1000);
    },
  };
}
