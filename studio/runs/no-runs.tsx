/** The empty state of the list of runs, which suggests filters to remove. */
import { activeFilters, blockingFilters, without } from '../data/runs/run-filter.ts';
import type { RunFilter } from '../data/runs/runs.ts';
import { clearFilters } from '../filters/filter-bar.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/states.tsx';
import { address, changeQuery } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';

interface NoRunsProps {
  filter: RunFilter;
  /** Searches older runs; undefined if all were searched. */
  more: (() => void) | undefined;
}

export function NoRuns({ filter, more }: NoRunsProps) {
  const filters = activeFilters(filter);
  const isFiltered = filters.length > 0;
  const { data: blocking } = useResource(
    isFiltered ? `runs:without:${JSON.stringify(filter)}` : undefined,
    () => blockingFilters(filter),
  );
  if (!isFiltered)
    return (
      <Empty title="No runs yet">
        <p className="small">
          <Link href={address([])}>Start a conversation</Link>
        </p>
      </Empty>
    );
  return (
    <Empty title={more ? 'No matches in the latest runs' : 'No matching runs'}>
      {blocking && (
        <p className="small">
          {blocking.length > 0
            ? 'There are matches without this filter:'
            : filters.length > 1
              ? 'Remove several filters to find matches.'
              : 'There are no runs without the filter either.'}
        </p>
      )}
      <div className="row wrap">
        {blocking?.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            className="button small"
            onClick={() => changeQuery(without(name))}
          >
            Remove “{label}”
          </button>
        ))}
        {more && (
          <button type="button" className="button small" onClick={more}>
            Search older runs
          </button>
        )}
        <button type="button" className="button small quiet" onClick={clearFilters}>
          Clear filters
        </button>
      </div>
    </Empty>
  );
}
