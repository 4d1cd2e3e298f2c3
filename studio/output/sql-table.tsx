/** The result of a query: table, chart and SQL statement. */
import { Suspense, useId, useState } from 'react';
import { lazyPart } from '../lazy-with-styles.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { cellText, csvOf, type SqlResultData } from './sql-result.ts';

const VegaChart = lazyPart(() => import('../chart/vega-chart.tsx'));

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
          <ErrorBoundary resetKey="chart">
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
          {result.truncated && ' (more available)'}
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

const PAGE_SIZE = 50;

function Rows({ result: { columns, rows } }: { result: SqlResultData }) {
  const [shown, setShown] = useState(PAGE_SIZE);
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
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id
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
          <button type="button" className="button small" onClick={() => setShown(shown + 4 * PAGE_SIZE)}>
            Show more ({rows.length - shown} left)
          </button>
        </p>
      )}
    </ScrollBox>
  );
}

const MAX_CELL = 400;

function Cell({ value, isNumber }: { value: unknown; isNumber: boolean }) {
  if (value === null || value === undefined) return <td className="nothing">null</td>;
  const text = cellText(value);
  const cut = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
  return <td className={isNumber ? 'number' : undefined}>{cut}</td>;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}

function Statement({ result: { sql, checks } }: { result: SqlResultData }) {
  return (
    <>
      <ScrollBox label="SQL statement">
        <pre>{sql}</pre>
      </ScrollBox>
      {checks.length > 0 && <p className="foot">Checked: {checks.join('; ')}</p>}
    </>
  );
}
