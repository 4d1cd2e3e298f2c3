/**
 * Raises the scores of passages whose document has other good matches, because they are more likely to be relevant than
 * isolated ones.
 */

// The share of the score of the best other passage in its document that is added.
const SHARE = 0.2;

export function withSupport<C extends { document: string; score: number }>(candidates: readonly C[]): C[] {
  const best = new Map<string, [first: number, second: number]>();
  for (const { document, score } of candidates) {
    const [first, second] = best.get(document) ?? [0, 0];
    best.set(document, score > first ? [score, first] : [first, Math.max(second, score)]);
  }
  return candidates.map((candidate) => {
    const [first, second] = best.get(candidate.document) ?? [0, 0];
    const other = candidate.score === first ? second : first;
    return { ...candidate, score: candidate.score === 0 ? 0 : candidate.score + SHARE * other };
  });
}
