/** The page of a dataset: its cases and results. */
import { useId, useState } from 'react';
import { addCase, listResults, readDataset } from '../data/datasets.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { address, changeQuery } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { CaseDialog } from './case-dialog.tsx';
import { CaseList } from './case-list.tsx';
import './datasets.css';
import { ResultList } from './result-list.tsx';
import { ResultView } from './result-view.tsx';
import { RunForm } from './run-form.tsx';

export default function DatasetPage({ params, query }: PageProps) {
  const name = params.dataset ?? '';
  return <DatasetView key={name} name={name} query={query} />;
}

function DatasetView({ name, query }: { name: string; query: URLSearchParams }) {
  const { data: dataset, error } = useResource(`dataset:${name}`, () => readDataset(name));
  const { data: results } = useResource(`dataset-results:${name}`, () => listResults(name));
  const [isAdding, setAdding] = useState(false);
  const id = useId();
  const result = query.get('result') ?? undefined;
  const shown = result !== undefined || query.get('view') === 'results' ? 'results' : 'cases';
  const tabs = [
    { value: 'cases' as const, label: `Cases ${dataset?.cases.length ?? ''}` },
    { value: 'results' as const, label: `Results ${results?.length ?? ''}` },
  ];
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <p className="muted small">
              <Link href={address(['datasets'])}>Datasets</Link>
            </p>
            <h1>{name}</h1>
          </div>
          {dataset && <RunForm dataset={dataset} last={results?.[0]} />}
          <button type="button" className="button" onClick={() => setAdding(true)}>
            <Icon name="plus" size={14} />
            New case
          </button>
        </header>
        {error && <ErrorNote error={error} retry={() => invalidate('dataset')} />}
        {dataset?.problems.map(({ line, column, reason }) => (
          <p key={line} className="note bad" role="alert">
            <span>
              {name}.jsonl, line {line}, column {column}: {reason}
            </span>
            <span>Fix the file by hand. Until then, you can't edit or run this dataset.</span>
          </p>
        ))}
        <Tabs
          id={id}
          label={name}
          tabs={tabs}
          value={shown}
          choose={(view) => changeQuery({ view: view === 'results' ? view : undefined, result: undefined })}
        />
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`} className="stack">
          {shown === 'cases' && (dataset ? <CaseList dataset={dataset} /> : !error && <Loading lines={6} />)}
          {shown === 'results' && !result && <ResultList name={name} results={results} />}
          {result && <ResultView key={result} name={name} resultId={result} results={results ?? []} />}
        </div>
      </div>
      {isAdding && (
        <CaseDialog
          title="New case"
          before={{}}
          save={async (made) => {
            await addCase(name, made);
            invalidate('dataset');
          }}
          close={() => setAdding(false)}
        />
      )}
    </div>
  );
}
