/** A bar chart over time, with a highlighted part for failures. */
import type { Span } from '../data/statistics.ts';
import { columnWidth, HEIGHT, Plot, type PlotData } from './plot.tsx';

interface BarsProps extends PlotData {
  title: string;
  /** The value of the whole period. */
  total: string;
  amountOf(span: Span): number;
  /** The part of the value that is shown as failed. */
  badOf?(span: Span): number;
  /** Whether the whole value is shown as failed. */
  isBad?: boolean;
  textOf(value: number): string;
}

const GAP = 0.2;

export function Bars({
  title,
  total,
  spans,
  spanSeconds,
  amountOf,
  badOf,
  isBad = false,
  textOf,
}: BarsProps) {
  const most = Math.max(...spans.map(amountOf), 0);
  const step = columnWidth(spans);
  const heightOf = (value: number) => (most === 0 ? 0 : (value / most) * (HEIGHT - 2));
  const tooltipOf = (span: Span) => {
    const bad = badOf?.(span) ?? 0;
    return `${textOf(amountOf(span))}${bad > 0 ? `, ${textOf(bad)} failed` : ''}`;
  };
  return (
    <Plot
      {...{ title, spans, spanSeconds, tooltipOf }}
      note={`Max ${textOf(most)}`}
      label={`${title}: ${total}`}
    >
      {spans.map((span, index) => {
        const bar = { x: (index + GAP / 2) * step, width: step * (1 - GAP) };
        const [height, badHeight] = [heightOf(amountOf(span)), heightOf(badOf?.(span) ?? 0)];
        return (
          <g key={span.start}>
            <rect className={isBad ? 'bad' : 'good'} {...bar} y={HEIGHT - height} height={height} />
            <rect className="bad" {...bar} y={HEIGHT - badHeight} height={badHeight} />
          </g>
        );
      })}
    </Plot>
  );
}
