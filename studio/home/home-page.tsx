/** The home page: runs, tokens, cost, durations and latest failures over a period. */
import { useId } from 'react';
import { type Figures, type Grouping, readStatistics, type Statistics } from '../data/statistics.ts';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import type { PageProps } from '../page-props.ts';
import { costText } from '../parts/cost.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { durationText } from '../parts/time.tsx';
import { invalidate, useResource } from '../resources.ts';
import { changeQuery } from '../router.ts';
import { Bars } from './bars.tsx';
import { Examples } from './examples.tsx';
import { FiguresTable } from './figures-table.tsx';
import './home.css';
import { LastFailures } from './last-failures.tsx';
import { shareText } from './share-text.ts';

const PERIODS = [
  { days: 1, label: 'Last 24 hours' },
  { days: 7, label: 'Last 7 days' },
  { days: 30, label: 'Last 30 days' },
];
const GROUPINGS = [
  { value: 'workflow', label: 'By workflow' },
  { value: 'prompt', label: 'By prompt version' },
] as const;

export default function HomePage({ query }: PageProps) {
  const days = PERIODS.find((period) => String(period.days) === query.get('days'))?.days ?? 7;
  const by: Grouping = query.get('by') === 'prompt' ? 'prompt' : 'workflow';
  const { data, error } = useResource(`statistics:${days}:${by}`, () => readStatistics(days, by));
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <h1 className="grow">Home</h1>
          <OwnerFilter choose={(owner) => changeQuery({ owner })} />
          <select
            className="field"
            aria-label="Period"
            value={days}
            onChange={(event) => changeQuery({ days: event.target.value })}
          >
            {PERIODS.map((period) => (
              <option key={period.days} value={period.days}>
                {period.label}
              </option>
            ))}
          </select>
        </header>
        {error && <ErrorNote error={error} retry={() => invalidate('statistics:')} />}
        {!data && !error && <Loading lines={8} />}
        {data?.all.runs === 0 && <Examples />}
        {data && data.all.runs > 0 && <Content statistics={data} by={by} />}
      </div>
    </div>
  );
}

function Content({ statistics, by }: { statistics: Statistics; by: Grouping }) {
  const { all, spans, span_seconds: spanSeconds, groups, complete } = statistics;
  const id = useId();
  const plot = { spans, spanSeconds };
  const countText = (value: number) => value.toLocaleString();
  return (
    <>
      {!complete && <p className="note">Based on the latest 5,000 runs of this period.</p>}
      <Tiles all={all} />
      <div className="plots">
        <Bars
          {...plot}
          title="Runs"
          amountOf={({ runs }) => runs}
          badOf={({ failed }) => failed}
          textOf={countText}
        />
        <Bars
          {...plot}
          title="Tokens"
          amountOf={({ input_tokens, output_tokens }) => input_tokens + output_tokens}
          textOf={countText}
        />
        {all.cost !== null && (
          <Bars {...plot} title="Cost" amountOf={({ cost }) => cost ?? 0} textOf={costText} />
        )}
      </div>
      <section className="stack" aria-label="Statistics">
        <Tabs
          id={id}
          label="Group by"
          tabs={GROUPINGS}
          value={by}
          choose={(chosen) => changeQuery({ by: chosen })}
        />
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${by}`}>
          <FiguresTable groups={groups} label={by === 'prompt' ? 'Prompt file' : 'Workflow'} />
        </div>
      </section>
      <section className="stack" aria-label="Latest failures">
        <h2>Latest failures</h2>
        <LastFailures />
      </section>
    </>
  );
}

function Tiles({ all }: { all: Figures }) {
  const { duration_ms: duration, first_token_ms: firstToken, cost } = all;
  return (
    <dl className="tiles">
      <Tile title="Runs" value={all.runs.toLocaleString()} />
      <Tile title="Failed" value={shareText(all)} />
      <Tile title="Duration, p50" value={duration && durationText(duration.p50)} />
      <Tile title="Duration, p95" value={duration && durationText(duration.p95)} />
      <Tile title="First token, p50" value={firstToken && durationText(firstToken.p50)} />
      <Tile title="Tokens" value={(all.input_tokens + all.output_tokens).toLocaleString()} />
      {cost !== null && <Tile title="Cost" value={costText(cost)} />}
    </dl>
  );
}

function Tile({ title, value }: { title: string; value: string | null }) {
  return (
    <div className="panel tile">
      <dt className="muted small">{title}</dt>
      <dd>{value ?? '–'}</dd>
    </div>
  );
}
