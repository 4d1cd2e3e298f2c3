/** The runs that failed last, with why. */
import { askedOf, listRuns } from '../data/runs.ts';
import { EVERYBODY, useOwner } from '../owner.ts';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { useResource } from '../resources.ts';
import { address } from '../router.ts';

const FEW = 5;

export function LastFailures() {
  const { data, error } = useResource('runs:failed:last', () => listRuns({ status: 'failed' }));
  const ofMany = useOwner().owner === EVERYBODY;
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading lines={3} />;
  if (data.runs.length === 0) return <p className="muted small">No run has failed.</p>;
  return (
    <ul className="failures">
      {data.runs.slice(0, FEW).map(({ run_id, owner, title, workflow, error: failure, created_at }) => (
        <li key={run_id} className="panel">
          <p className="row">
            <Link className="cut grow" href={address(['runs', run_id], { of: ofMany ? owner : '' })}>
              {askedOf({ title })}
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
            {ofMany && ` · ${owner}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
