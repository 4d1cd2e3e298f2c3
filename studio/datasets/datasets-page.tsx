/** The list of datasets, with their latest results. */
import { useState } from 'react';
import { type DatasetHead, listDatasets } from '../data/datasets.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { AddToDataset } from './add-to-dataset.tsx';
import './datasets.css';
import { EvaluationTabs } from './evaluation-tabs.tsx';
import { ResultChip } from './result-chip.tsx';

export default function DatasetsPage() {
  const { data: datasets, error } = useResource('datasets', listDatasets);
  const [isAdding, setAdding] = useState(false);
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <h1>Datasets</h1>
            <p className="muted small">
              Questions with expected answers. <code>skein eval</code> uses the same files.
            </p>
          </div>
          <button type="button" className="button" onClick={() => setAdding(true)}>
            <Icon name="plus" size={14} />
            New case
          </button>
        </header>
        <EvaluationTabs current="datasets" />
        {error && <ErrorNote error={error} retry={() => invalidate('datasets')} />}
        {!datasets && !error && <Loading lines={6} />}
        {datasets?.length === 0 && (
          <Empty title="No datasets yet">
            <p className="small">
              Use “Add to dataset” on a run, or on an answer with a{' '}
              <Link href={address(['review'])}>bad rating</Link>.
            </p>
          </Empty>
        )}
        {datasets && datasets.length > 0 && (
          <div className="panel scroll-x">
            <table className="runs-table">
              <thead>
                <tr>
                  <th scope="col">Dataset</th>
                  <th scope="col" className="number">
                    Cases
                  </th>
                  <th scope="col">Last result</th>
                  <th scope="col" className="wide">
                    Workflow
                  </th>
                  <th scope="col" className="number wide">
                    Last run
                  </th>
                </tr>
              </thead>
              <tbody>
                {datasets.map((one) => (
                  <Row key={one.dataset} one={one} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      {isAdding && <AddToDataset before={{}} close={() => setAdding(false)} />}
    </div>
  );
}

function Row({ one: { dataset, cases, problems, last_result: last } }: { one: DatasetHead }) {
  return (
    <tr>
      <td>
        <span className="row wrap">
          <Link href={address(['datasets', dataset])}>{dataset}</Link>
          {problems > 0 && <span className="chip bad">Invalid file</span>}
        </span>
      </td>
      <td className="number">{cases}</td>
      <td>{last ? <ResultChip result={last} /> : <span className="muted">–</span>}</td>
      <td className="wide">{last?.workflow}</td>
      <td className="number wide muted">{last && <Ago at={last.created_at} />}</td>
    </tr>
  );
}
