/** What something cost: in the currency of the configured prices, which has no name here. */
export function Cost({ cost }: { cost: number | undefined }) {
  if (cost === undefined) return null;
  return <span className="muted">cost {costText(cost)}</span>;
}

/** Two digits that say something, however small it is. */
export function costText(cost: number): string {
  return cost.toLocaleString(undefined, {
    minimumFractionDigits: 2,
    maximumSignificantDigits: cost < 1 ? 2 : 21,
  });
}

/** Of a column: as many digits after the point for each as the smallest needs. */
export function costsText(costs: number[]): (cost: number) => string {
  const digits = Math.max(2, ...costs.map((cost) => (costText(cost).split(/[.,](?=\d+$)/)[1] ?? '').length));
  return (cost) =>
    cost.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
