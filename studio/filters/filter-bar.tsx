/** The filters of runs, which are kept in the page's address, with buttons that remove one or all. */
import { type ReactNode, useId, useState } from 'react';
import { type ActiveFilter, activeFilters, FILTER_NAMES, without } from '../data/runs/run-filter.ts';
import { type RunFilter, STATUS_LABELS } from '../data/runs/runs.ts';
import { readWorkflows } from '../data/workflows.ts';
import { Icon } from '../parts/icon.tsx';
import { Select } from '../parts/select.tsx';
import { changeQuery } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';
import { FilterField } from './filter-field.tsx';
import { WorkflowFilter } from './workflow-filter.tsx';
import './filters.css';

const ALWAYS_SHOWN = ['workflow', 'status', 'feedback'];
const COLLAPSED = FILTER_NAMES.filter((name) => !ALWAYS_SHOWN.includes(name));
const FEEDBACK = { positive: 'Positive', negative: 'Negative' };

interface FilterBarProps {
  filter: RunFilter;
  /** Additional filters of the page. */
  children?: ReactNode;
}

export function FilterBar({ filter, children }: FilterBarProps) {
  const { data } = useResource('workflows', readWorkflows);
  const files = useId();
  const promptFiles = [...new Set(data?.workflows.flatMap(({ prompt_files }) => prompt_files))].sort();
  // Only the initial state, so that the section doesn't collapse when you clear a field in it.
  const [isOpen] = useState(() => COLLAPSED.some((name) => filter[name] !== undefined));
  return (
    <search className="run-filters" aria-label="Filters">
      <div className="row wrap">
        {children}
        <WorkflowFilter workflow={filter.workflow} choose={(workflow) => changeQuery({ workflow })} />
        <Select
          label="Status"
          all="All statuses"
          options={STATUS_LABELS}
          value={filter.status}
          choose={(status) => changeQuery({ status })}
        />
        <Select
          label="Feedback"
          all="Any feedback"
          options={FEEDBACK}
          value={filter.feedback}
          choose={(feedback) => changeQuery({ feedback })}
        />
      </div>
      <details open={isOpen}>
        <summary className="small">More filters</summary>
        <div className="filter-fields">
          <FilterField label="From" kind="time" name="from" value={filter.from} />
          <FilterField label="To" kind="time" name="to" value={filter.to} />
          <FilterField
            label="Min. seconds"
            kind="seconds"
            name="min_duration_ms"
            value={filter.min_duration_ms}
          />
          <FilterField label="Min. tokens" kind="integer" name="min_tokens" value={filter.min_tokens} />
          <FilterField label="Min. cost" kind="amount" name="min_cost" value={filter.min_cost} />
          <FilterField label="Error code" kind="code" name="error_code" value={filter.error_code} />
          <FilterField label="Prompt file" kind="text" name="prompt" value={filter.prompt} list={files} />
          <FilterField
            label="File version"
            kind="integer"
            name="prompt_version"
            value={filter.prompt_version}
            disabled={filter.prompt === undefined}
          />
        </div>
        <datalist id={files}>
          {promptFiles.map((file) => (
            <option key={file} value={file} />
          ))}
        </datalist>
      </details>
      <ActiveFilters filters={activeFilters(filter)} />
    </search>
  );
}

function ActiveFilters({ filters }: { filters: ActiveFilter[] }) {
  return (
    <>
      <p className="visually-hidden" role="status">
        {useRemovalNotice(filters)}
      </p>
      {filters.length > 0 && <FilterButtons filters={filters} />}
    </>
  );
}

/** Announces to screen readers which filters were removed, because their buttons disappear. */
function useRemovalNotice(filters: ActiveFilter[]): string {
  const [last, setLast] = useState({ filters, notice: '' });
  if (JSON.stringify(last.filters) === JSON.stringify(filters)) return last.notice;
  const removed = last.filters.filter(({ name }) => filters.every((one) => one.name !== name));
  const names = removed.map(({ label }) => label).join(', ');
  const remaining = filters.length === 0 ? 'No filters left.' : `${filters.length} left.`;
  const notice = removed.length === 0 ? '' : `Filter removed: ${names}. ${remaining}`;
  setLast({ filters, notice });
  return notice;
}

function FilterButtons({ filters }: { filters: ActiveFilter[] }) {
  return (
    <div className="row wrap">
      {filters.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          className="button small"
          aria-label={`Remove filter: ${label}`}
          onClick={() => changeQuery(without(name))}
        >
          <span className="cut">{label}</span>
          <Icon name="close" size={12} />
        </button>
      ))}
      <button type="button" className="button small quiet" onClick={clearFilters}>
        Clear filters
      </button>
    </div>
  );
}

export function clearFilters(): void {
  changeQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])));
}
