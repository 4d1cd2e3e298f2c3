/** The periods of budgets: days and months in UTC. */

export interface Period {
  /** `2026-11-23` or `2026-11`. */
  name: string;
  /** Milliseconds since 1970. */
  endsAt: number;
}

export function periodAt(per: 'day' | 'month', now: number): Period {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (per === 'day') return { name: at.toISOString().slice(0, 10), endsAt: Date.UTC(year, month, day + 1) };
  return { name: at.toISOString().slice(0, 7), endsAt: Date.UTC(year, month + 1, 1) };
}
