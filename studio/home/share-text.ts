/** Formats the number and percentage of failed runs. */
import type { Figures } from '../data/statistics.ts';

type Counts = Pick<Figures, 'failed' | 'runs'>;

export function shareText({ failed, runs }: Counts): string {
  if (failed === 0) return '0';
  return `${failed.toLocaleString()} (${percentText(errorRate({ failed, runs }))})`;
}

/** From 0 to 1; 0 without runs. */
export const errorRate = ({ failed, runs }: Counts) => (runs === 0 ? 0 : failed / runs);

export const percentText = (share: number) => `${(100 * share).toFixed(1)}%`;
