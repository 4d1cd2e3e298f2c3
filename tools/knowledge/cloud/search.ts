/** Hybrid search in an Azure AI Search index: by words and, if the index can vectorize queries, by meaning. */
import { openDeadline } from '../../models/call/deadline.ts';
import type { Library, SearchOptions, SearchResult } from '../library.ts';
import { failureOf, unavailable } from './failure.ts';
import { fieldsOf, IMPORTED, type IndexFields } from './fields.ts';
import { passageOf } from './passage.ts';
import type { Hit, PlainRequest, SearchModule, SearchRequest } from './search-package.ts';
import type { CloudTarget } from './target.ts';

const SECONDS = 15;
const DEFAULT_LIMIT = 6;
const MAX_PASSAGES = 50;
/** The number of nearest passages that are fused with those found by words. */
const CANDIDATES = 50;
const LONGEST_QUERY = 4_000;

/** The semantic ranker scores from 0 to 4. By the service's definition, a passage is somewhat relevant from this score on. */
const RELEVANT = 1;

/** Throws DATABASE_CONNECTION_FAILED, CONFIGURATION_ERROR if the index is unsuitable, or the signal's reason. */
export function cloudSearch(target: CloudTarget, azure: SearchModule): Pick<Library, 'search'> {
  const { endpoint, index, key } = target;
  const credential = new azure.AzureKeyCredential(key);
  const client = new azure.SearchClient(endpoint, index, credential, optionsFor(target));
  const indexes = new azure.SearchIndexClient(endpoint, credential, optionsFor(target));
  let known: IndexFields | undefined;

  async function hits(query: string, limit: number, abortSignal: AbortSignal) {
    known ??= await readFields(abortSignal);
    const request = requestFor({ query, limit, fields: known, target });
    const { results } = await client.search(wordsOf(query), { ...request, abortSignal });
    const found: Hit[] = [];
    for await (const hit of results) {
      found.push(hit);
      if (found.length === limit) break;
    }
    return { found, fields: known };
  }

  /** A query-only key cannot read the definition of the index. In that case, assumes the layout of Azure's import. */
  async function readFields(abortSignal: AbortSignal): Promise<IndexFields> {
    try {
      return fieldsOf(await indexes.getIndex(index, { abortSignal }));
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode === 403) return IMPORTED;
      throw error;
    }
  }

  return {
    async search(query, options = {}) {
      const parent = options.signal ?? new AbortController().signal;
      parent.throwIfAborted();
      const late = () => unavailable(`no answer within ${SECONDS} s`);
      const deadline = openDeadline(parent, SECONDS * 1000, late);
      const limit = Math.min(options.limit ?? DEFAULT_LIMIT, MAX_PASSAGES);
      try {
        const { found, fields } = await hits(query.slice(0, LONGEST_QUERY), limit, deadline.signal);
        return resultOf(found, fields, options);
      } catch (error) {
        throw deadline.signal.aborted ? deadline.signal.reason : failureOf(error);
      } finally {
        deadline.release();
      }
    },
  };
}

function optionsFor({ endpoint }: CloudTarget) {
  return {
    retryOptions: { maxRetries: 2, retryDelayInMs: 200, maxRetryDelayInMs: 2_000 },
    // A followed redirect would send the key to another host.
    redirectOptions: { maxRetries: 0 },
    allowInsecureConnection: endpoint.startsWith('http://'),
  };
}

interface Asked {
  query: string;
  limit: number;
  fields: IndexFields;
  target: CloudTarget;
}

function requestFor({ query, limit, fields, target }: Asked): SearchRequest {
  const { key, text, document, headings, page, start, end, vectors } = fields;
  const select = [key, text, document, ...headings, page, start, end].filter((name) => name !== undefined);
  const common: PlainRequest = {
    top: limit,
    select: [...new Set(select)],
    // Returns the cosine and BM25 of each hit; the fused rank contains neither.
    debug: 'vector',
    ...(vectors.length > 0 && {
      vectorSearchOptions: {
        queries: [
          { kind: 'text' as const, text: query, fields: vectors, kNearestNeighborsCount: CANDIDATES },
        ],
      },
    }),
  };
  const { semanticConfiguration: configurationName } = target;
  if (configurationName === undefined) return common;
  return { ...common, queryType: 'semantic', semanticSearchOptions: { configurationName } };
}

/** Removes the operators of the simple query syntax, because a question is not a query expression. */
function wordsOf(query: string): string {
  return query.replaceAll(/[+|"*()~\\]|(?<![\p{L}\p{N}])-/gu, ' ');
}

function resultOf(hits: Hit[], fields: IndexFields, { threshold }: SearchOptions): SearchResult {
  const passages = hits.map((hit) => passageOf(hit, fields)).filter(({ text }) => text !== '');
  const ranks = hits.flatMap(({ rerankerScore }) => rerankerScore ?? []);
  const cosines = passages.flatMap(({ scores }) => scores.vector ?? []);
  return { found: isFound(passages.length, { ranks, cosines, threshold }), passages };
}

interface Evidence {
  ranks: number[];
  cosines: number[];
  threshold: number | undefined;
}

/** Decides by cosine if a threshold is set, otherwise by the ranker. Without either, every hit counts. */
function isFound(passages: number, { ranks, cosines, threshold }: Evidence): boolean {
  if (passages === 0) return false;
  if (threshold !== undefined && cosines.length > 0) return cosines.some((cosine) => cosine >= threshold);
  return ranks.length === 0 || ranks.some((rank) => rank >= RELEVANT);
}
