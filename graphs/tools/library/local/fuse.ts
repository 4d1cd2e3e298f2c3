/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): one order out of several. */

// The authors' constant.
const DAMPING = 60;

/** Each id with the sum of 1 / (60 + rank) over the orders that have it; the highest first. */
export function fuseRanks(orders: readonly (readonly string[])[]): [id: string, score: number][] {
  const scores = new Map<string, number>();
  for (const order of orders)
    order.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (DAMPING + index + 1));
    });
  return [...scores].sort(([, one], [, other]) => other - one);
}
