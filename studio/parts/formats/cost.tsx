/** A cost, in the currency of the configured prices, which the studio doesn't know. */
export function Cost({ cost }: { cost: number | undefined }) {
  if (cost === undefined) return null;
  return <span className="muted">cost {costText(cost)}</span>;
}

/** Formats a cost with at least two significant digits. */
export function costText(cost: number): string {
  return cost.toLocaleString(undefined, {
    minimumFractionDigits: 2,
    maximumSignificantDigits: cost < 1 ? 2 : 21,
  });
}

/** Formats the costs of a column, all with the number of decimals that the smallest needs. */
export function costsText(costs: number[]): (cost: number) => string {
  const digits = Math.max(2, ...costs.map((cost) => (costText(cost).split(/[.,](?=\d+$)/)[1] ?? '').length));
  return (cost) =>
    cost.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
