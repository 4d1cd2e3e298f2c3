/** A chip with the status of a run. */
import type { RunStatus } from '../data/runs.ts';

const STATUSES: Record<RunStatus, { tone: string; label: string }> = {
  queued: { tone: 'running', label: 'Queued' },
  running: { tone: 'running', label: 'Running' },
  succeeded: { tone: 'good', label: 'Succeeded' },
  failed: { tone: 'bad', label: 'Failed' },
  interrupted: { tone: 'waiting', label: 'Waiting' },
  cancelled: { tone: '', label: 'Cancelled' },
};

export function RunStatusChip({ status }: { status: RunStatus }) {
  const { tone, label } = STATUSES[status];
  return <span className={`chip ${tone}`}>{label}</span>;
}
