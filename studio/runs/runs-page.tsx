/** The runs of all threads, newest first; two of them can be compared. */
import { useState } from 'react';
import { askedOf, listRuns, type Run, STATUSES } from '../data/runs.ts';
import { readWorkflows } from '../data/workflows.ts';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { EVERYBODY, useOwner } from '../owner.ts';
import type { PageProps } from '../page-props.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { Ago, durationText } from '../parts/time.tsx';
import { invalidate, useResource } from '../resources.ts';
import { address, changeQuery, navigate } from '../router.ts';
import { RunStatusChip } from '../run/run-status.tsx';
import { usePages } from '../use-pages.ts';
import './runs.css';

export default function RunsPage({ query }: PageProps) {
  const workflow = query.get('workflow') ?? undefined;
  const status = STATUSES.find((one) => one === query.get('status'));
  const { data } = useResource('workflows', readWorkflows);
  const pages = usePages(`runs:${workflow}:${status}`, async (cursor) => {
    const { runs, next_cursor } = await listRuns({ workflow, status }, cursor);
    return { items: runs, next: next_cursor };
  });
  const [chosen, setChosen] = useState<string[]>([]);

  function choose(run: string) {
    setChosen(chosen.includes(run) ? chosen.filter((one) => one !== run) : [...chosen.slice(-1), run]);
  }
  function compare() {
    const [left, right] = chosen;
    navigate(address(['compare'], { left: `run:${left}`, right: right && `run:${right}` }));
  }
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <h1 className="grow">Runs</h1>
          <OwnerFilter choose={(owner) => changeQuery({ owner })} />
          <select
            className="field"
            aria-label="Workflow"
            value={workflow ?? ''}
            onChange={(event) => changeQuery({ workflow: event.target.value || undefined })}
          >
            <option value="">All workflows</option>
            {data?.workflows.map(({ workflow: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <select
            className="field"
            aria-label="Status"
            value={status ?? ''}
            onChange={(event) => changeQuery({ status: event.target.value || undefined })}
          >
            <option value="">All states</option>
            {STATUSES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <button type="button" className="button" onClick={() => invalidate('runs:')}>
            <Icon name="refresh" size={14} />
            Refresh
          </button>
          <button type="button" className="button" disabled={chosen.length < 2} onClick={compare}>
            <Icon name="compare" size={14} />
            Compare {chosen.length === 2 ? 'both' : 'two'}
          </button>
        </header>
        {pages.error && <ErrorNote error={pages.error} retry={() => invalidate('runs:')} />}
        {!pages.items && !pages.error && <Loading lines={8} />}
        {pages.items?.length === 0 && (
          <Empty title={workflow || status ? 'No such runs' : 'Nothing has run yet'}>
            <p className="small">
              {workflow || status ? (
                'Choose other states or workflows.'
              ) : (
                <Link href={address([])}>Begin a conversation.</Link>
              )}
            </p>
          </Empty>
        )}
        {pages.items && pages.items.length > 0 && (
          <div className="panel scroll-x">
            <table className="runs-table">
              <thead>
                <tr>
                  <th scope="col">
                    <span className="visually-hidden">Compare</span>
                  </th>
                  <th scope="col">State</th>
                  <th scope="col">Question</th>
                  <th scope="col" className="wide">
                    Workflow
                  </th>
                  <th scope="col" className="number wide">
                    Time
                  </th>
                  <th scope="col" className="number wide">
                    Tokens
                  </th>
                  <th scope="col" className="number">
                    When
                  </th>
                </tr>
              </thead>
              <tbody>
                {pages.items.map((run) => (
                  <Row key={run.run_id} run={run} isChosen={chosen.includes(run.run_id)} choose={choose} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {pages.more && (
          <button type="button" className="button quiet" onClick={pages.more}>
            Show older ones
          </button>
        )}
      </div>
    </div>
  );
}

function Row({ run, isChosen, choose }: { run: Run; isChosen: boolean; choose(run: string): void }) {
  const { run_id, status, owner, workflow, started_at, finished_at, usage, created_at } = run;
  const ofMany = useOwner().owner === EVERYBODY;
  const tokens = usage.input_tokens + usage.output_tokens;
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare run ${run_id}`}
          checked={isChosen}
          onChange={() => choose(run_id)}
        />
      </td>
      <td>
        <RunStatusChip status={status} />
      </td>
      <td className="prompt cut">
        <Link href={address(['runs', run_id])}>{askedOf(run)}</Link>
        {ofMany && <span className="muted small"> {owner}</span>}
      </td>
      <td className="wide">{workflow}</td>
      <td className="number wide">
        {started_at && finished_at && durationText(Date.parse(finished_at) - Date.parse(started_at))}
      </td>
      <td className="number wide">{tokens > 0 && tokens.toLocaleString()}</td>
      <td className="number muted">
        <Ago at={created_at} />
      </td>
    </tr>
  );
}
