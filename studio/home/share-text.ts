/** Formats the number and percentage of failed runs. */
import type { Figures } from '../data/statistics.ts';

export function shareText({ failed, runs }: Pick<Figures, 'failed' | 'runs'>): string {
  if (failed === 0) return '0';
  return `${failed.toLocaleString()} (${((100 * failed) / runs).toFixed(1)}%)`;
}
