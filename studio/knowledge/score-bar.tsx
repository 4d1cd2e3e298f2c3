/** A score as a number and a bar. */

interface ScoreBarProps {
  name: string;
  /** Null if this kind of search didn't find the passage. */
  value: number | null;
  /** The value of a full bar. */
  most: number;
}

export function ScoreBar({ name, value, most }: ScoreBarProps) {
  const share = value === null || most <= 0 ? 0 : Math.min(1, Math.max(0, value / most));
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="score-bar" aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
        <span className="score">{value === null ? '–' : scoreText(value)}</span>
      </dd>
    </div>
  );
}

function scoreText(value: number): string {
  return value >= 10 ? value.toFixed(1) : value.toFixed(3);
}
