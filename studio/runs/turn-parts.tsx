/** Links to the runs of a turn that was split by an approval or a breakpoint. */
import type { Run } from '../data/runs/runs.ts';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import { RunStatusChip } from '../run/run-status.tsx';

export function TurnParts({ runs, current }: { runs: Run[]; current: string }) {
  if (runs.length < 2) return null;
  return (
    <nav className="row wrap small turn-parts" aria-label="Parts of this turn">
      {runs.map(({ run_id, status }, index) => (
        <Link
          key={run_id}
          className="row"
          href={address(['runs', run_id])}
          aria-current={run_id === current ? 'page' : undefined}
        >
          Part {index + 1} <RunStatusChip status={status} />
        </Link>
      ))}
    </nav>
  );
}
