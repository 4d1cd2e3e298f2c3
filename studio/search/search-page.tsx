/** The search page: full-text search in runs, with filters by kind, time and properties of the run. */
import { type FormEvent, useState } from 'react';
import { filterIn } from '../data/runs/run-filter.ts';
import { isSearchable, KINDS, type Kind, type SearchFilter, searchRuns } from '../data/search.ts';
import { FilterBar } from '../filters/filter-bar.tsx';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { Icon } from '../parts/icon.tsx';
import { Select } from '../parts/select.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { changeQuery } from '../routing/router.ts';
import { invalidate } from '../service/resources.ts';
import { filledPage, usePages } from '../service/use-pages.ts';
import { HitRow } from './hit-row.tsx';
import './search.css';

const DAY_MS = 24 * 60 * 60 * 1000;
const PERIODS = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' };

export default function SearchPage({ query }: PageProps) {
  const q = query.get('q') ?? '';
  const filter = filterIn(query);
  const choose = (name: string) => (chosen: string | undefined) => changeQuery({ [name]: chosen });
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <h1 className="grow">Search</h1>
          <OwnerFilter choose={choose('owner')} />
        </header>
        <SearchForm key={q} query={q} />
        <FilterBar filter={filter}>
          <Select
            label="Kind"
            all="All texts"
            options={KINDS}
            value={query.get('kind')}
            choose={choose('kind')}
          />
          <Select
            label="Time"
            all="Any time"
            options={PERIODS}
            value={query.get('days')}
            choose={choose('days')}
          />
        </FilterBar>
        {isSearchable(q) ? (
          <Results filter={{ ...filter, q, kind: kindIn(query) }} days={query.get('days')} />
        ) : (
          <Empty title="Search all runs">
            <p className="small">
              Searches questions, answers, agent outputs, errors and tool calls of finished runs. Results
              contain all words. Use quotes for an “exact phrase” and an asterisk for a pref*.
            </p>
            <p className="small">
              Press <kbd>Ctrl K</kbd> on any page to also find pages, workflows and conversations by name.
            </p>
          </Empty>
        )}
      </div>
    </div>
  );
}

function kindIn(query: URLSearchParams): Kind | undefined {
  const kind = query.get('kind') ?? '';
  return kind in KINDS ? (kind as Kind) : undefined;
}

/** If both a period and a time are set, uses the later one. */
function withDays(filter: SearchFilter, days: string | null): SearchFilter {
  if (days === null) return filter;
  const start = Date.now() - Number(days) * DAY_MS;
  const from = Date.parse(filter.from ?? '') > start ? filter.from : new Date(start).toISOString();
  return { ...filter, from };
}

function SearchForm({ query }: { query: string }) {
  const [text, setText] = useState(query);
  function submit(event: FormEvent) {
    event.preventDefault();
    changeQuery({ q: text.trim() || undefined });
  }
  return (
    <form className="row" onSubmit={submit}>
      <input
        className="field grow"
        type="search"
        aria-label="Search runs"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button primary">
        <Icon name="search" size={14} />
        Search
      </button>
    </form>
  );
}

function Results({ filter, days }: { filter: SearchFilter; days: string | null }) {
  const [isComplete, setComplete] = useState(true);
  const pages = usePages(`search:${JSON.stringify(filter)}:${days}`, (first) =>
    filledPage(async (cursor) => {
      const { hits, next_cursor, complete } = await searchRuns(withDays(filter, days), { cursor });
      setComplete(complete);
      return { items: hits, next: next_cursor };
    }, first),
  );
  if (pages.error) return <ErrorNote error={pages.error} retry={() => invalidate('search:')} />;
  if (!pages.items) return <Loading lines={6} />;
  return (
    <>
      {!isComplete && (
        <p className="note" role="status">
          Older runs are still being indexed. Search again in a minute to include them.
        </p>
      )}
      {pages.items.length === 0 && (
        <Empty title={pages.more ? 'No results in the latest runs' : 'No results'}>
          <p className="small">Try fewer or different words, or change the filters.</p>
        </Empty>
      )}
      <ol className="hits" aria-label="Results">
        {pages.items.map((hit) => (
          <HitRow key={`${hit.run_id} ${hit.kind} ${hit.agent} ${hit.tool} ${hit.snippet}`} hit={hit} />
        ))}
      </ol>
      {pages.more && (
        <button type="button" className="button quiet" onClick={pages.more}>
          Load more
        </button>
      )}
    </>
  );
}
