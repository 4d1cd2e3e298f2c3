/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): merges several rankings into one. */

// The constant of the paper.
const DAMPING = 60;

export interface Order {
  ids: readonly string[];
  weight: number;
}

/** Each id with the sum of weight / (60 + rank) over the rankings that contain it; highest first. */
export function fuseRanks(orders: readonly Order[]): [id: string, score: number][] {
  const scores = new Map<string, number>();
  for (const { ids, weight } of orders)
    ids.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (DAMPING + index + 1));
    });
  return [...scores].sort(([, one], [, other]) => other - one);
}
