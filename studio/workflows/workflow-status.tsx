/** The status of a workflow, and a summary of its runs. */
import type { Workflow, WorkflowStatus } from '../data/workflows.ts';
import { durationText } from '../parts/formats/time.tsx';

const TONES = { ready: 'good', unconfigured: 'waiting', failing: 'bad' } as const;
const LABELS = { ready: 'Ready', unconfigured: 'Not configured', failing: 'Failing' } as const;

/** Until the statistics of its runs are loaded, shows the status that is known without them. */
export function StatusChip({ entry, status }: { entry: Workflow; status: WorkflowStatus | undefined }) {
  const known = status?.status ?? (entry.ready ? 'ready' : entry.configured ? 'failing' : 'unconfigured');
  return <span className={`chip ${TONES[known]}`}>{LABELS[known]}</span>;
}

export function latencyText(milliseconds: number | null | undefined): string {
  return milliseconds === null || milliseconds === undefined ? '–' : durationText(milliseconds);
}

export function runsText({ runs: { succeeded, failed } }: WorkflowStatus): string {
  const all = succeeded + failed;
  if (all === 0) return 'No runs yet';
  const runs = `${all} ${all === 1 ? 'run' : 'runs'}`;
  return failed === 0 ? `${runs}, none failed` : `${runs}, ${failed} failed`;
}
