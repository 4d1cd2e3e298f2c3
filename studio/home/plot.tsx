/** The frame of a chart over time: its title, a column with a tooltip for each span, and the first and last time. */
import type { ReactNode } from 'react';
import type { Span } from '../data/statistics.ts';

const WIDTH = 600;
export const HEIGHT = 120;

export interface PlotData {
  spans: Span[];
  spanSeconds: number;
}

interface PlotProps extends PlotData {
  title: string;
  /** Shown opposite the title, such as the maximum. */
  note: ReactNode;
  /** The chart in a few words, for screen readers. */
  label: string;
  tooltipOf(span: Span): string;
  /** SVG elements in a box of `WIDTH` by `HEIGHT`. */
  children: ReactNode;
}

export function Plot({ title, note, label, spans, spanSeconds, tooltipOf, children }: PlotProps) {
  const step = columnWidth(spans);
  return (
    <figure className="panel plot">
      <figcaption className="row">
        <span className="grow">{title}</span>
        <span className="row muted small">{note}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {spans.map((span, index) => (
          <rect key={span.start} className="column" x={index * step} width={step} height={HEIGHT}>
            <title>{`${spanText(span.start, spanSeconds)}: ${tooltipOf(span)}`}</title>
          </rect>
        ))}
        <g className="drawing">{children}</g>
      </svg>
      <p className="row muted small">
        <span className="grow">{spans[0] && spanText(spans[0].start, spanSeconds)}</span>
        <span>{spans.length > 1 && spanText(spans.at(-1)?.start ?? '', spanSeconds)}</span>
      </p>
    </figure>
  );
}

export const columnWidth = (spans: Span[]) => WIDTH / Math.max(spans.length, 1);

const HOUR = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false },
});
// Days are in UTC.
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

function spanText(start: string, seconds: number): string {
  return (seconds < 86_400 ? HOUR : DAY).format(new Date(start));
}
