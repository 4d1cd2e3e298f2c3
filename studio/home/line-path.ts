/** Draws values over time as a line. */

interface Scale {
  /** The distance from one value to the next. */
  step: number;
  height: number;
  /** The value that is drawn at the top. */
  most: number;
}

/** Half the length of the line for a single value, as a share of the distance between two values. */
const HALF = 0.3;

/** An SVG path through the values. A value between two nulls becomes a short horizontal line. */
export function linePath(values: (number | null)[], { step, height, most }: Scale): string {
  const at = (index: number) => values[index] ?? null;
  return values
    .map((value, index) => {
      if (value === null) return '';
      // Two pixels of margin keep the lines visible at the edges.
      const y = (2 + (1 - (most === 0 ? 0 : value / most)) * (height - 4)).toFixed(1);
      const xOf = (middle: number) => (middle * step).toFixed(1);
      const middle = index + 0.5;
      if (at(index - 1) !== null) return `L${xOf(middle)} ${y}`;
      if (at(index + 1) !== null) return `M${xOf(middle)} ${y}`;
      return `M${xOf(middle - HALF)} ${y}H${xOf(middle + HALF)}`;
    })
    .join('');
}
