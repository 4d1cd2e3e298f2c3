/** Draws values over time as a line. */

interface Scale {
  /** The distance from one value to the next. */
  step: number;
  height: number;
  /** The value that is drawn at the top. */
  most: number;
}

/** An SVG path through the values. A value between two nulls becomes a line without a length, which draws a dot. */
export function linePath(values: (number | null)[], { step, height, most }: Scale): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      // The lines stay visible at the edges.
      const y = 2 + (1 - (most === 0 ? 0 : value / most)) * (height - 4);
      const point = `${((index + 0.5) * step).toFixed(1)} ${y.toFixed(1)}`;
      return (values[index - 1] ?? null) === null ? `M${point}L${point}` : `L${point}`;
    })
    .join('');
}
