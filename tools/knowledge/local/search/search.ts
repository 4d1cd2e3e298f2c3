/** Hybrid search: ranks candidates by meaning and by words, and fuses the two rankings. */
import type { Embedder } from '../../embedding/embedder.ts';
import type { Passage, SearchOptions, SearchResult } from '../../library.ts';
import type { Catalog } from '../index/catalog.ts';
import type { KnownPassages } from '../index/known-passages.ts';
import type { Hit, Passages } from '../index/passages.ts';
import { feedbackOf } from './feedback.ts';
import { isFound } from './found.ts';
import { type Candidate, rank } from './rank.ts';
import { spread } from './spread.ts';
import { type Wanted, wantedOf } from './wanted.ts';

const NEAREST = 50;
const MATCHING = 100;
// If no passage contains this share of the query's weight, terms from the best passages are added.
const WEAK = 0.7;
const DEFAULT_LIMIT = 6;
// A query is a sentence or two. Longer queries take more time and don't find more.
const MAX_QUERY = 4_000;

export interface Searched {
  catalog: Catalog;
  passages: Passages;
  known: KnownPassages;
  /** Revisions that are being written or removed. */
  hidden: readonly number[];
  /** Revisions after this one are being written by another server. */
  newest?: number;
}

export interface Question {
  text: string;
  vector: Float32Array;
  /** The weight of the ranking by vectors. */
  weight: number;
  limit: number;
  /** The minimum cosine of a result; undefined if cosines say nothing about relevance. */
  threshold: number | undefined;
}

export async function asQuestion(
  embedder: Embedder,
  query: string,
  { limit = DEFAULT_LIMIT, threshold = embedder.threshold, signal }: SearchOptions = {},
): Promise<Question> {
  const text = query.slice(0, MAX_QUERY);
  const [vector] = await embedder.embed([text], 'query', signal);
  if (!vector) throw new Error('the embedder returned no vector');
  return { text, vector, weight: embedder.weight, limit, threshold };
}

export async function search(searched: Searched, question: Question): Promise<SearchResult> {
  const { catalog, known } = searched;
  const vocabulary = await known.vocabulary();
  const wanted = wantedOf(question.text, vocabulary);
  // All parts of the search use the documents at this moment, and no later commits.
  const moment = catalog.moment();
  const { near, matching } = searchesOf(searched, question, moment);
  const [nearest, found] = await Promise.all([near(), matching(wanted)]);
  const ranked = {
    cosines: new Map(nearest.map(({ id, score }) => [id, score])),
    documentOf: ({ revision }: Hit) => catalog.documentAt(revision, moment) ?? '',
    weight: question.weight,
    length: vocabulary.length(),
  };
  const hits = [...nearest, ...found];
  const first = rank({ ...ranked, wanted, hits });
  let { fused } = first;
  if (first.byWords.every(({ share }) => share < WEAK)) {
    const more = [...wanted, ...feedbackOf(fused, wanted, vocabulary)];
    fused = rank({ ...ranked, wanted: more, hits: [...hits, ...(await matching(more))] }).fused;
  }
  const evidence = {
    query: question.text,
    threshold: question.threshold,
    terms: wanted.length,
    passages: vocabulary.passages(),
  };
  return {
    found: isFound({ ...evidence, nearest: first.byMeaning[0]?.vector, candidates: first.byWords }),
    passages: await passagesOf(spread(fused, question.limit), catalog),
  };
}

function searchesOf(
  { catalog, passages, hidden, newest }: Searched,
  { text, vector }: Question,
  moment: number,
) {
  const bounds = { without: hidden, ...(newest !== undefined && { newest }) };
  // A passage of a deleted or uncommitted revision may have the same id.
  const there = (hits: Hit[]) =>
    hits.filter(({ revision }) => catalog.documentAt(revision, moment) !== undefined);
  return {
    near: async () => there(await passages.nearest(vector, { ...bounds, limit: NEAREST })),
    async matching(wanted: readonly Wanted[]) {
      const words = wanted.flatMap(({ forms }) => forms.map(({ word }) => word)).join(' ');
      return there(await passages.matching(words || text, { ...bounds, limit: MATCHING }));
    },
  };
}

async function passagesOf(candidates: readonly Candidate[], catalog: Catalog): Promise<Passage[]> {
  const contexts = await catalog.contexts(candidates.map(({ hit }) => hit));
  return candidates.map(({ hit, document, vector, score, fused }, at) => {
    const { revision: _, parent: __, score: ___, ...passage } = hit;
    const scores = { vector, text: score || null, fused };
    return { ...passage, document, context: contexts[at] ?? hit.text, scores };
  });
}
