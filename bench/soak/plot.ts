/** An SVG with one line chart per series, below each other, with the same time axis. */

export interface Series {
  title: string;
  /** One value per point in time; infinite values are left out. */
  values: number[];
}

const WIDTH = 900;
const HEIGHT = 150;
const LEFT = 60;
const RIGHT = 30;
const TOP = 30;
const GAP = 58;

/** `minutes`: when each value was measured. */
export function plot(title: string, minutes: number[], series: Series[]): string {
  const height = TOP + series.length * (HEIGHT + GAP);
  const charts = series.map((one, index) => chart(one, minutes, TOP + index * (HEIGHT + GAP) + 24));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${LEFT}" y="20" font-size="15" font-weight="bold" fill="#222">${title}</text>
${charts.join('\n')}
</svg>
`;
}

function chart({ title, values }: Series, minutes: number[], top: number): string {
  const most = axisEnd(Math.max(...values.filter(Number.isFinite), 0));
  const end = Math.max(...minutes, 1);
  const x = (minute: number) => LEFT + (minute / end) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => top + HEIGHT - (value / most) * HEIGHT;
  const points = values.flatMap((value, index) =>
    Number.isFinite(value) ? `${x(minutes[index] ?? 0).toFixed(1)},${y(value).toFixed(1)}` : [],
  );
  const levels = [0, 0.5, 1].map((share) => {
    const level = most * share;
    return `<path d="M${LEFT} ${y(level)}H${WIDTH - RIGHT}" stroke="#ddd"/><text x="${LEFT - 6}" y="${y(level) + 4}" text-anchor="end" fill="#555">${level}</text>`;
  });
  const times = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<text x="${x(end * share)}" y="${top + HEIGHT + 16}" text-anchor="middle" fill="#555">${(end * share).toFixed(0)} min</text>`,
  );
  return `<text x="${LEFT}" y="${top - 8}" fill="#222">${title}</text>
${[...levels, ...times].join('\n')}
<polyline points="${points.join(' ')}" fill="none" stroke="#2563eb" stroke-width="1.5"/>`;
}

/** The next of 1, 2, 5, 10, 20, 50, ... */
function axisEnd(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((end) => end >= value) ?? value;
}
