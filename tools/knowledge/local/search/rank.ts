/** Ranks candidates by meaning and by words, and fuses the two rankings. */

import type { Hit } from '../index/passages.ts';
import { fuseRanks } from './fuse.ts';
import { openRelevance, type Relevance } from './relevance.ts';
import { withSupport } from './support.ts';
import type { Wanted } from './wanted.ts';

export interface Candidate extends Relevance {
  hit: Hit;
  document: string;
  /** Cosine similarity; null if the passage is not among the nearest. */
  vector: number | null;
  /** The fused score of both rankings; 0 if the passage is in neither. */
  fused: number;
}

export interface Ranking {
  /** Each of them is sorted by score, best first. */
  byMeaning: Candidate[];
  byWords: Candidate[];
  fused: Candidate[];
}

export interface Ranked {
  wanted: readonly Wanted[];
  /** May contain duplicates. */
  hits: readonly Hit[];
  /** By the ids of passages. */
  cosines: ReadonlyMap<string, number>;
  documentOf(hit: Hit): string;
  /** The weight of the ranking by meaning. The ranking by words has weight 1. */
  weight: number;
  /** The average number of words per passage. */
  length: number;
}

export function rank({ wanted, hits, cosines, documentOf, weight, length }: Ranked): Ranking {
  const relevance = openRelevance(wanted, length);
  const each = new Map(hits.map((hit) => [hit.id, hit])).values();
  const candidates = Array.from(each, (hit): Candidate => {
    const document = documentOf(hit);
    const vector = cosines.get(hit.id) ?? null;
    return { hit, document, vector, fused: 0, ...relevance({ ...hit, document }) };
  });
  const byMeaning = ordered(candidates, ({ vector }) => vector);
  const byWords = ordered(withSupport(candidates), ({ score }) => score || null);
  const scores = new Map(
    fuseRanks([
      { ids: idsOf(byMeaning), weight },
      { ids: idsOf(byWords), weight: 1 },
    ]),
  );
  const scored = candidates.map((candidate) => ({ ...candidate, fused: scores.get(candidate.hit.id) ?? 0 }));
  return { byMeaning, byWords, fused: ordered(scored, ({ fused }) => fused || null) };
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ hit }) => hit.id);

/** The candidates with a score, best first. Ties are sorted by id, because the order in the index depends on the ingestion. */
function ordered(candidates: Candidate[], scoreOf: (candidate: Candidate) => number | null): Candidate[] {
  return candidates
    .flatMap((candidate) => {
      const score = scoreOf(candidate);
      return score === null ? [] : [{ candidate, score }];
    })
    .sort((a, b) => b.score - a.score || (a.candidate.hit.id < b.candidate.hit.id ? -1 : 1))
    .map(({ candidate }) => candidate);
}
