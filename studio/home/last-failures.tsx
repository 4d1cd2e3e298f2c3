/** The latest failed runs, with their errors. */
import { listRuns, runTitle } from '../data/runs/runs.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { address } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';

const MAX_SHOWN = 5;

export function LastFailures({ workflow }: { workflow: string | undefined }) {
  const { data, error } = useResource(`runs:failed:${workflow ?? ''}`, () =>
    listRuns({ status: 'failed', ...(workflow && { workflow }) }, undefined, MAX_SHOWN),
  );
  const showsOwner = useOwner().owner === ALL_CALLERS;
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading lines={3} />;
  if (data.runs.length === 0) return <p className="muted small">No failed runs.</p>;
  return (
    <ul className="failures">
      {data.runs.map(({ run_id, owner, title, workflow, error: failure, created_at }) => (
        <li key={run_id} className="panel">
          <p className="row">
            <Link className="cut grow" href={address(['runs', run_id], { of: showsOwner ? owner : '' })}>
              {runTitle({ title })}
            </Link>
            <span className="muted small">
              <Ago at={created_at} />
            </span>
          </p>
          <p className="small cut">
            <code>{failure?.error_code}</code> {failure?.detail ?? failure?.message}
          </p>
          <p className="muted small">
            {workflow}
            {showsOwner && ` · ${owner}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
