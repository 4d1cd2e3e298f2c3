/** A chip with the status of a run. */
import { type RunStatus, STATUS_LABELS } from '../data/runs/runs.ts';

const TONES: Record<RunStatus, string> = {
  queued: 'running',
  running: 'running',
  succeeded: 'good',
  failed: 'bad',
  interrupted: 'waiting',
  cancelled: '',
};

export function RunStatusChip({ status }: { status: RunStatus }) {
  return <span className={`chip ${TONES[status]}`}>{STATUS_LABELS[status]}</span>;
}
