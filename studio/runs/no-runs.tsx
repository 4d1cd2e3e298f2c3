/** In place of a list without runs: why there are none, and what to do. */
import { activeFilters, filtersInTheWay, without } from '../data/run-filter.ts';
import type { RunFilter } from '../data/runs.ts';
import { clearFilters } from '../filters/filter-bar.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/states.tsx';
import { useResource } from '../resources.ts';
import { address, changeQuery } from '../router.ts';

interface NoRunsProps {
  filter: RunFilter;
  /** Looks at older runs; undefined where all were looked at. */
  more: (() => void) | undefined;
}

export function NoRuns({ filter, more }: NoRunsProps) {
  const filters = activeFilters(filter);
  const isFiltered = filters.length > 0;
  const { data: inTheWay } = useResource(
    isFiltered ? `runs:without:${JSON.stringify(filter)}` : undefined,
    () => filtersInTheWay(filter),
  );
  if (!isFiltered)
    return (
      <Empty title="Nothing has run yet">
        <p className="small">
          <Link href={address([])}>Begin a conversation.</Link>
        </p>
      </Empty>
    );
  return (
    <Empty title={more ? 'None among the newest runs' : 'No such runs'}>
      {inTheWay && (
        <p className="small">
          {inTheWay.length > 0
            ? 'There are some without this filter:'
            : filters.length > 1
              ? 'No single filter is in the way: remove several of them.'
              : 'There are none without the filter either.'}
        </p>
      )}
      <div className="row wrap">
        {inTheWay?.map(({ name, words }) => (
          <button
            key={name}
            type="button"
            className="button small"
            onClick={() => changeQuery(without(name))}
          >
            Remove “{words}”
          </button>
        ))}
        {more && (
          <button type="button" className="button small" onClick={more}>
            Look at older runs
          </button>
        )}
        <button type="button" className="button small quiet" onClick={clearFilters}>
          Clear all filters
        </button>
      </div>
    </Empty>
  );
}
