/** What the metrics are told of a run while it goes on. */
import type { Claim } from '../../state/coordination.ts';
import type { NewEntry } from '../../state/events.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { AcceptedRun } from './accepted-run.ts';

export interface RunMeasures {
  /** Its turn has come. */
  claimed(claim: Pick<Claim, 'lease'>): void;
  /** What its log is told. */
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
      // A run that goes on elsewhere has waited before, and worked.
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
