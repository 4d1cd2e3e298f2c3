/** Hybrid search: candidates by meaning and by words, fused into one order, with the part around each passage. */
import type { Embedder } from '../embedding/embedder.ts';
import type { Passage, SearchOptions, SearchResult } from '../library.ts';
import type { Catalog } from './catalog.ts';
import { isFound } from './found.ts';
import { fuseRanks } from './fuse.ts';
import type { Hit, Passages } from './passages.ts';
import { bodyOf } from './rows.ts';

const CANDIDATES = 50;
// Of each order, for whether anything was found.
const EXAMINED = 10;
const DEFAULT_LIMIT = 6;
// What is asked for is a sentence or two; a longer query costs time and finds no more.
const MAX_QUERY = 4_000;

export interface Searched {
  catalog: Catalog;
  passages: Passages;
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
  /** The least cosine of a find. */
  threshold: number;
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

export async function search(
  { catalog, passages, hidden, newest }: Searched,
  { text: asked, vector, weight, limit, threshold }: Question,
): Promise<SearchResult> {
  // What is committed from here on is not seen: both searches are of the same documents.
  const moment = catalog.moment();
  const there = (hits: Hit[]) =>
    hits.filter(({ revision }) => catalog.documentAt(revision, moment) !== undefined).sort(byScore);
  const bounds = { limit: CANDIDATES, without: hidden, ...(newest !== undefined && { newest }) };
  const [near, matching] = await Promise.all([
    passages.nearest(vector, bounds).then(there),
    passages.matching(asked, bounds).then(there),
  ]);
  const best = [...near.slice(0, EXAMINED), ...matching.slice(0, EXAMINED)];
  const found = isFound({ query: asked, nearest: near[0]?.score, threshold, texts: best.map(bodyOf) });
  const fused = fuseRanks([
    { ids: near.map(({ id }) => id), weight },
    { ids: matching.map(({ id }) => id), weight: 1 },
  ]);
  const byMeaning = new Map(near.map((hit) => [hit.id, hit]));
  const byWords = new Map(matching.map((hit) => [hit.id, hit]));

  const chosen = fused.slice(0, limit).flatMap(([id, score]) => {
    const vector = byMeaning.get(id);
    const text = byWords.get(id);
    const hit = vector ?? text;
    const document = hit && catalog.documentAt(hit.revision, moment);
    if (!hit || document === undefined) return [];
    const scores = { vector: vector?.score ?? null, text: text?.score ?? null, fused: score };
    return [{ hit, document, scores }];
  });
  const contexts = await catalog.contexts(chosen.map(({ hit }) => hit));
  return {
    found,
    passages: chosen.map(({ hit, document, scores }, at): Passage => {
      const { revision: _, parent: __, score: ___, ...passage } = hit;
      return { ...passage, document, context: contexts[at] ?? hit.text, scores };
    }),
  };
}

/** The index gives passages of the same score in the order in which they happened to be ingested. */
function byScore(one: Hit, other: Hit): number {
  return other.score - one.score || (one.id < other.id ? -1 : 1);
}
