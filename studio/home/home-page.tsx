/** The home page: runs, error rates, durations, tokens, cost and latest failures over a period, of all workflows or of one. */
import { useId } from 'react';
import { type Figures, type Grouping, readStatistics, type Statistics } from '../data/statistics.ts';
import { WorkflowFilter } from '../filters/workflow-filter.tsx';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { costText } from '../parts/formats/cost.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { changeQuery } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { Bars } from './bars.tsx';
import { Examples } from './examples.tsx';
import { FiguresTable } from './figures-table.tsx';
import './home.css';
import { LastFailures } from './last-failures.tsx';
import { PercentileLines } from './percentile-lines.tsx';
import { errorRate, percentText, shareText } from './share-text.ts';

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
  const workflow = query.get('workflow') ?? undefined;
  const { data, error } = useResource(`statistics:${days}:${by}:${workflow ?? ''}`, () =>
    readStatistics({ days, by, workflow }),
  );
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <h1 className="grow">Home</h1>
          <OwnerFilter choose={(owner) => changeQuery({ owner })} />
          <WorkflowFilter workflow={workflow} choose={(chosen) => changeQuery({ workflow: chosen })} />
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
        {data && data.all.runs > 0 && <Content {...{ statistics: data, by, workflow }} />}
      </div>
    </div>
  );
}

interface ContentProps {
  statistics: Statistics;
  by: Grouping;
  workflow: string | undefined;
}

function Content({ statistics, by, workflow }: ContentProps) {
  const { groups, complete, all } = statistics;
  const id = useId();
  return (
    <>
      {!complete && <p className="note">Based on the latest 5,000 runs of this period.</p>}
      <Tiles all={all} />
      <Plots statistics={statistics} />
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
        <LastFailures workflow={workflow} />
      </section>
    </>
  );
}

function Plots({ statistics: { all, spans, span_seconds: spanSeconds } }: { statistics: Statistics }) {
  const plot = { spans, spanSeconds };
  const tokensOf = (figures: Figures) => figures.input_tokens + figures.output_tokens;
  return (
    <div className="plots">
      <Bars
        {...plot}
        title="Runs"
        total={`${countText(all.runs)} in total`}
        amountOf={({ runs }) => runs}
        badOf={({ failed }) => failed}
        textOf={countText}
      />
      <Bars
        {...plot}
        title="Error rate"
        total={percentText(errorRate(all))}
        amountOf={errorRate}
        isBad
        textOf={percentText}
      />
      <PercentileLines
        {...plot}
        title="Duration"
        total={all.duration_ms}
        percentilesOf={({ duration_ms }) => duration_ms}
      />
      <PercentileLines
        {...plot}
        title="First token"
        total={all.first_token_ms}
        percentilesOf={({ first_token_ms }) => first_token_ms}
      />
      <Bars
        {...plot}
        title="Tokens"
        total={`${countText(tokensOf(all))} in total`}
        amountOf={tokensOf}
        textOf={countText}
      />
      {all.cost !== null && (
        <Bars
          {...plot}
          title="Cost"
          total={`${costText(all.cost)} in total`}
          amountOf={({ cost }) => cost ?? 0}
          textOf={costText}
        />
      )}
    </div>
  );
}

const countText = (value: number) => value.toLocaleString();

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
