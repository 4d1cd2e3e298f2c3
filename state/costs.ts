/** Sums of money, in the currency of the models' prices. */

// Far below a token's price, and coarse enough that a sum of decimal prices reads like one.
const DIGITS = 12;

export function sumOfCosts(...costs: number[]): number {
  return Number(costs.reduce((sum, cost) => sum + cost, 0).toFixed(DIGITS));
}

/** Undefined if neither is known. */
export function addedCosts(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : sumOfCosts(a, b);
}
