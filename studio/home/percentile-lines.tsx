/** A chart of the median and the 95th percentile of a duration over time. A span without a value interrupts the lines. */
import type { Figures, Span } from '../data/statistics.ts';
import { durationText } from '../parts/formats/time.tsx';
import { linePath } from './line-path.ts';
import { columnWidth, HEIGHT, Plot, type PlotData } from './plot.tsx';

type Percentiles = Figures['duration_ms'];

interface PercentileLinesProps extends PlotData {
  title: string;
  /** The percentiles of the whole period. */
  total: Percentiles;
  percentilesOf(span: Span): Percentiles;
}

const NAMES = ['p95', 'p50'] as const;

export function PercentileLines({ title, total, spans, spanSeconds, percentilesOf }: PercentileLinesProps) {
  const values = spans.map(percentilesOf);
  const most = Math.max(...values.map((value) => value?.p95 ?? 0));
  return (
    <Plot
      {...{ title, spans, spanSeconds }}
      note={
        <>
          <span className="key p50">p50</span>
          <span className="key p95">p95</span>
          Max {durationText(most)}
        </>
      }
      label={`${title}: ${percentilesText(total)}`}
      tooltipOf={(span) => percentilesText(percentilesOf(span))}
    >
      {NAMES.map((name) => (
        <path
          key={name}
          className={name}
          d={linePath(
            values.map((value) => value?.[name] ?? null),
            { step: columnWidth(spans), height: HEIGHT, most },
          )}
        />
      ))}
    </Plot>
  );
}

function percentilesText(value: Percentiles): string {
  return value ? `p50 ${durationText(value.p50)}, p95 ${durationText(value.p95)}` : 'none';
}
