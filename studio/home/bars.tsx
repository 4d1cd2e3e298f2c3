/** A bar chart over time, with a highlighted part for failures. */
import type { Span } from '../data/statistics.ts';

interface BarsProps {
  title: string;
  spans: Span[];
  amountOf(span: Span): number;
  /** The part of the value that is shown as failed. */
  badOf?(span: Span): number;
  textOf(value: number): string;
  spanSeconds: number;
}

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 0.2;

export function Bars({ title, spans, amountOf, badOf, textOf, spanSeconds }: BarsProps) {
  const values = spans.map(amountOf);
  const most = Math.max(...values, 0);
  const total = values.reduce((sum, value) => sum + value, 0);
  const step = WIDTH / Math.max(spans.length, 1);
  const heightOf = (value: number) => (most === 0 ? 0 : (value / most) * (HEIGHT - 2));
  return (
    <figure className="panel plot">
      <figcaption className="row">
        <span className="grow">{title}</span>
        <span className="muted small">Max {textOf(most)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${textOf(total)} in total`}
      >
        {spans.map((span, index) => {
          const value = amountOf(span);
          const bad = badOf?.(span) ?? 0;
          const bar = { x: (index + GAP / 2) * step, width: step * (1 - GAP) };
          return (
            <g key={span.start}>
              <title>{`${spanText(span.start, spanSeconds)}: ${textOf(value)}${bad > 0 ? `, ${textOf(bad)} failed` : ''}`}</title>
              <rect className="hover" x={index * step} y={0} width={step} height={HEIGHT} />
              <rect className="good" {...bar} y={HEIGHT - heightOf(value)} height={heightOf(value)} />
              <rect className="bad" {...bar} y={HEIGHT - heightOf(bad)} height={heightOf(bad)} />
            </g>
          );
        })}
      </svg>
      <p className="row muted small">
        <span className="grow">{spans[0] && spanText(spans[0].start, spanSeconds)}</span>
        <span>{spans.length > 1 && spanText(spans.at(-1)?.start ?? '', spanSeconds)}</span>
      </p>
    </figure>
  );
}

const HOUR = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false },
});
// Days are in UTC.
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

function spanText(start: string, seconds: number): string {
  return (seconds < 86_400 ? HOUR : DAY).format(new Date(start));
}
