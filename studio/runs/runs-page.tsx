/** The list of runs, newest first, with filters and a comparison of two runs. */
import { useState } from 'react';
import { filterIn, findRuns } from '../data/runs/run-filter.ts';
import { type Run, runTitle } from '../data/runs/runs.ts';
import { FilterBar } from '../filters/filter-bar.tsx';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { Ago, durationText } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { address, changeQuery, navigate } from '../routing/router.ts';
import { RunStatusChip } from '../run/run-status.tsx';
import { invalidate } from '../service/resources.ts';
import { usePages } from '../service/use-pages.ts';
import { NoRuns } from './no-runs.tsx';
import './runs.css';

export default function RunsPage({ query }: PageProps) {
  const filter = filterIn(query);
  const pages = usePages(`runs:${JSON.stringify(filter)}`, (cursor) => findRuns(filter, cursor));
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
          <button type="button" className="button" onClick={() => invalidate('runs:')}>
            <Icon name="refresh" size={14} />
            Refresh
          </button>
          <button type="button" className="button" disabled={chosen.length < 2} onClick={compare}>
            <Icon name="compare" size={14} />
            Compare selected
          </button>
        </header>
        <FilterBar filter={filter} />
        {pages.error && <ErrorNote error={pages.error} retry={() => invalidate('runs:')} />}
        {!pages.items && !pages.error && <Loading lines={8} />}
        {pages.items?.length === 0 && <NoRuns filter={filter} more={pages.more} />}
        {pages.items && pages.items.length > 0 && (
          <div className="panel scroll-x">
            <table className="runs-table">
              <thead>
                <tr>
                  <th scope="col">
                    <span className="visually-hidden">Compare</span>
                  </th>
                  <th scope="col">Status</th>
                  <th scope="col">Question</th>
                  <th scope="col" className="wide">
                    Workflow
                  </th>
                  <th scope="col" className="number wide">
                    Duration
                  </th>
                  <th scope="col" className="number wide">
                    Tokens
                  </th>
                  <th scope="col" className="number">
                    Created
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
        {pages.more && pages.items?.length !== 0 && (
          <button type="button" className="button quiet" onClick={pages.more}>
            Load more
          </button>
        )}
      </div>
    </div>
  );
}

function Row({ run, isChosen, choose }: { run: Run; isChosen: boolean; choose(run: string): void }) {
  const { run_id, status, owner, workflow, started_at, finished_at, usage, created_at } = run;
  const showsOwner = useOwner().owner === ALL_CALLERS;
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
        <Link href={address(['runs', run_id])}>{runTitle(run)}</Link>
        {showsOwner && <span className="muted small"> {owner}</span>}
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
