/** Sums of money, in the currency of the models' prices. */

// Far more precise than the price of a token, and coarse enough to remove the rounding errors of binary sums.
const DIGITS = 12;

export function sumOfCosts(...costs: number[]): number {
  return Number(costs.reduce((sum, cost) => sum + cost, 0).toFixed(DIGITS));
}

/** Undefined if both costs are unknown. */
export function addedCosts(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : sumOfCosts(a, b);
}
