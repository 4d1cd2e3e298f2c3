/** The rows of a query as a table, as a picture, and the statement that gave them. */

import { Suspense, useId, useState } from 'react';
import { part } from '../later.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { durationText } from '../parts/time.tsx';
import { cellText, csvOf, type SqlResultData } from './sql-result.ts';

const VegaChart = part(() => import('../chart/vega-chart.tsx'));

type View = 'table' | 'chart' | 'sql';

export function SqlResult({ result }: { result: SqlResultData }) {
  const [view, setView] = useState<View>('table');
  const id = useId();
  const views: { value: View; label: string }[] = [
    { value: 'table', label: 'Table' },
    ...(result.chart ? [{ value: 'chart' as const, label: 'Chart' }] : []),
    { value: 'sql', label: 'SQL' },
  ];
  return (
    <div className="panel result">
      <Tabs id={id} label="Result" tabs={views} value={view} choose={setView} />
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${view}`}>
        {view === 'table' && <Rows result={result} />}
        {view === 'chart' && result.chart && (
          <ErrorBoundary of="chart">
            <Suspense fallback={<div className="chart" style={{ minHeight: 240 }} />}>
              <VegaChart spec={result.chart} />
            </Suspense>
          </ErrorBoundary>
        )}
        {view === 'sql' && <Statement result={result} />}
      </div>
      <p className="foot">
        <span>
          {result.rowCount} {result.rowCount === 1 ? 'row' : 'rows'}
          {result.truncated && ', and there are more'}
          {result.cut && ` (${result.cut})`}
        </span>
        {result.durationMs !== undefined && <span>{durationText(result.durationMs)}</span>}
        <span className="grow" />
        <CopyButton
          text={() => (view === 'sql' ? result.sql : csvOf(result))}
          label={view === 'sql' ? 'Copy SQL' : 'Copy as CSV'}
        />
      </p>
    </div>
  );
}

const ROWS_AT_ONCE = 50;

function Rows({ result: { columns, rows } }: { result: SqlResultData }) {
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const numbers = new Set(
    columns.filter(({ name }) => rows.every((row) => isNumber(row[name]))).map(({ name }) => name),
  );
  return (
    <ScrollBox className="table-box" label="Rows">
      <table>
        <thead>
          <tr>
            {columns.map(({ name, type }) => (
              <th key={name} className={numbers.has(name) ? 'number' : undefined} scope="col">
                {name}
                <small>{type.toLowerCase()}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index}>
              {columns.map(({ name }) => (
                <Cell key={name} value={row[name]} isNumber={numbers.has(name)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown < rows.length && (
        <p className="foot">
          <button type="button" className="button small" onClick={() => setShown(shown + 4 * ROWS_AT_ONCE)}>
            Show more of {rows.length} rows
          </button>
        </p>
      )}
    </ScrollBox>
  );
}

const LONGEST_CELL = 400;

function Cell({ value, isNumber }: { value: unknown; isNumber: boolean }) {
  if (value === null || value === undefined) return <td className="nothing">null</td>;
  const text = cellText(value);
  const cut = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
  return <td className={isNumber ? 'number' : undefined}>{cut}</td>;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}

function Statement({ result: { sql, checks } }: { result: SqlResultData }) {
  return (
    <>
      <ScrollBox label="Statement">
        <pre>{sql}</pre>
      </ScrollBox>
      {checks.length > 0 && <p className="foot">Checked: {checks.join('; ')}</p>}
    </>
  );
}
