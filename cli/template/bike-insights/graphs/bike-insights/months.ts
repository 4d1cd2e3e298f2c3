/** The month of a sale, and the trend over months. */
import type { Sale } from './document.ts';

const NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `2024-05`, from the date, or else from the year and the English name of the month; undefined without either. */
export function monthOf({ sale_date, year, month }: Sale): string | undefined {
  if (sale_date !== undefined) return sale_date.slice(0, 7);
  const index = NAMES.indexOf(month?.trim().slice(0, 3).toLowerCase() ?? '');
  if (index < 0 || year === undefined || year < 0 || year > 9999) return undefined;
  return `${String(year).padStart(4, '0')}-${String(index + 1).padStart(2, '0')}`;
}

export type Trend = 'rising' | 'falling' | 'steady' | 'unknown';

// A smaller change counts as none.
const CHANGE = 0.05;

/** Compares the later half of the months with the earlier one; a middle month belongs to neither. */
export function trendOf(units: readonly number[]): Trend {
  if (units.length < 2) return 'unknown';
  const half = Math.floor(units.length / 2);
  const [earlier, later] = [sum(units.slice(0, half)), sum(units.slice(-half))];
  const change = later - earlier;
  if (Math.abs(change) <= CHANGE * Math.max(Math.abs(earlier), Math.abs(later))) return 'steady';
  return change > 0 ? 'rising' : 'falling';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
