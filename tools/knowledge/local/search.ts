/** Hybrid search: candidates by meaning and by words, put into one order each, and these fused into one. */
import type { Embedder } from '../embedding/embedder.ts';
import type { Passage, SearchOptions, SearchResult } from '../library.ts';
import type { Catalog } from './catalog.ts';
import { isFound } from './found.ts';
import { fuseRanks } from './fuse.ts';
import type { KnownPassages } from './known-passages.ts';
import type { Hit, Passages } from './passages.ts';
import { openRelevance, type Relevance } from './relevance.ts';
import { spread } from './spread.ts';
import { withSupport } from './support.ts';
import { wantedOf } from './wanted.ts';

const NEAREST = 50;
const MATCHING = 150;
const DEFAULT_LIMIT = 6;
// What is asked for is a sentence or two; a longer query costs time and finds no more.
const MAX_QUERY = 4_000;

export interface Searched {
  catalog: Catalog;
  passages: Passages;
  known: KnownPassages;
  /** Revisions that are being written, or removed. */
  hidden: readonly number[];
  /** Later ones are being written by another server. */
  newest?: number;
}

export interface Question {
  text: string;
  vector: Float32Array;
  /** Of the vector's order. */
  weight: number;
  limit: number;
  /** The least cosine of a find; undefined where the cosine says nothing about it. */
  threshold: number | undefined;
}

export async function asQuestion(
  embedder: Embedder,
  query: string,
  { limit = DEFAULT_LIMIT, threshold = embedder.threshold, signal }: SearchOptions = {},
): Promise<Question> {
  const text = query.slice(0, MAX_QUERY);
  const [vector] = await embedder.embed([text], 'query', signal);
  if (!vector) throw new Error('the embedder gave no vector');
  return { text, vector, weight: embedder.weight, limit, threshold };
}

export interface Candidate extends Relevance {
  hit: Hit;
  document: string;
  /** Cosine similarity; null where it is not among the nearest. */
  vector: number | null;
}

export async function search(
  { catalog, passages, known, hidden, newest }: Searched,
  { text, vector, weight, limit, threshold }: Question,
): Promise<SearchResult> {
  const vocabulary = await known.vocabulary();
  const wanted = wantedOf(text, vocabulary);
  // What is committed from here on is not seen: both searches are of the same documents.
  const moment = catalog.moment();
  const bounds = { without: hidden, ...(newest !== undefined && { newest }) };
  const words = wanted.flatMap(({ forms }) => forms.map(({ word }) => word)).join(' ');
  // The same passage of a revision that is gone, or not there yet, has the same id.
  const there = (hits: Hit[]) =>
    hits.filter(({ revision }) => catalog.documentAt(revision, moment) !== undefined);
  const [near, matching] = await Promise.all([
    passages.nearest(vector, { ...bounds, limit: NEAREST }).then(there),
    passages.matching(words || text, { ...bounds, limit: MATCHING }).then(there),
  ]);
  const relevance = openRelevance(wanted, vocabulary.length());
  const cosines = new Map(near.map(({ id, score }) => [id, score]));
  const hits = new Map([...near, ...matching].map((hit) => [hit.id, hit]));
  const candidates = Array.from(hits.values(), (hit): Candidate => {
    const document = catalog.documentAt(hit.revision, moment) ?? '';
    return { hit, document, vector: cosines.get(hit.id) ?? null, ...relevance({ ...hit, document }) };
  });
  const byMeaning = ordered(candidates, ({ vector }) => vector);
  const byWords = ordered(withSupport(candidates), ({ score }) => score || null);
  const found = isFound({
    query: text,
    nearest: byMeaning[0]?.vector,
    threshold,
    candidates: byWords,
    terms: wanted.length,
  });
  const fused = new Map(
    fuseRanks([
      { ids: idsOf(byMeaning), weight },
      { ids: idsOf(byWords), weight: 1 },
    ]),
  );
  const chosen = spread(
    ordered(candidates, ({ hit }) => fused.get(hit.id) ?? null),
    limit,
  );
  const contexts = await catalog.contexts(chosen.map(({ hit }) => hit));
  return {
    found,
    passages: chosen.map(({ hit, document, vector, score }, at): Passage => {
      const { revision: _, parent: __, score: ___, ...passage } = hit;
      const scores = { vector, text: score || null, fused: fused.get(hit.id) ?? 0 };
      return { ...passage, document, context: contexts[at] ?? hit.text, scores };
    }),
  };
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ hit }) => hit.id);

/** Those that have a score, the best first; equals by their ids, since an index gives them as they were ingested. */
function ordered(
  candidates: readonly Candidate[],
  scoreOf: (candidate: Candidate) => number | null,
): Candidate[] {
  return candidates
    .flatMap((candidate) => {
      const score = scoreOf(candidate);
      return score === null ? [] : [{ candidate, score }];
    })
    .sort((a, b) => b.score - a.score || (a.candidate.hit.id < b.candidate.hit.id ? -1 : 1))
    .map(({ candidate }) => candidate);
}
