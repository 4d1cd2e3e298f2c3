/** The filters of runs. They are in the page's address; each can be taken away, and all at once. */
import { type ReactNode, useId, useState } from 'react';
import { type ActiveFilter, activeFilters, FILTER_NAMES, without } from '../data/run-filter.ts';
import { type RunFilter, STATUSES } from '../data/runs.ts';
import { readWorkflows } from '../data/workflows.ts';
import { Choose } from '../parts/choose.tsx';
import { Icon } from '../parts/icon.tsx';
import { useResource } from '../resources.ts';
import { changeQuery } from '../router.ts';
import { FilterField } from './filter-field.tsx';
import './filters.css';

const AT_SIGHT = ['workflow', 'status', 'feedback'];
const FOLDED = FILTER_NAMES.filter((name) => !AT_SIGHT.includes(name));
const FEEDBACK = { positive: 'Positive', negative: 'Negative' };

interface FilterBarProps {
  filter: RunFilter;
  /** Filters of the page's own. */
  children?: ReactNode;
}

export function FilterBar({ filter, children }: FilterBarProps) {
  const { data } = useResource('workflows', readWorkflows);
  const files = useId();
  const workflows = data?.workflows ?? [];
  const promptFiles = [...new Set(workflows.flatMap(({ prompt_files }) => prompt_files))].sort();
  // Only at first: whoever empties a field is still in it.
  const [isOpen] = useState(() => FOLDED.some((name) => filter[name] !== undefined));
  return (
    <search className="run-filters" aria-label="Filters">
      <div className="row wrap">
        {children}
        <Choose
          label="Workflow"
          all="All workflows"
          options={Object.fromEntries(workflows.map(({ workflow }) => [workflow, workflow]))}
          value={filter.workflow}
          choose={(workflow) => changeQuery({ workflow })}
        />
        <Choose
          label="Status"
          all="All states"
          options={Object.fromEntries(STATUSES.map((one) => [one, one]))}
          value={filter.status}
          choose={(status) => changeQuery({ status })}
        />
        <Choose
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
            label="Seconds, at least"
            kind="seconds"
            name="min_duration_ms"
            value={filter.min_duration_ms}
          />
          <FilterField label="Tokens, at least" kind="integer" name="min_tokens" value={filter.min_tokens} />
          <FilterField label="Cost, at least" kind="amount" name="min_cost" value={filter.min_cost} />
          <FilterField label="Error code" kind="code" name="error_code" value={filter.error_code} />
          <FilterField label="Prompt file" kind="text" name="prompt" value={filter.prompt} list={files} />
          <FilterField
            label="Version of the file"
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
      <Active filters={activeFilters(filter)} />
    </search>
  );
}

function Active({ filters }: { filters: ActiveFilter[] }) {
  if (filters.length === 0) return null;
  return (
    <div className="row wrap">
      {filters.map(({ name, words }) => (
        <button
          key={name}
          type="button"
          className="button small"
          aria-label={`Remove the filter: ${words}`}
          onClick={() => changeQuery(without(name))}
        >
          <span className="cut">{words}</span>
          <Icon name="close" size={12} />
        </button>
      ))}
      <button type="button" className="button small quiet" onClick={clearFilters}>
        Clear all filters
      </button>
    </div>
  );
}

export function clearFilters(): void {
  changeQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])));
}
