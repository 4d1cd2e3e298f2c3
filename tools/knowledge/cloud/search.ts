/** Hybrid search in an index of Azure AI Search: by words and, where the index can make a vector of a text, by meaning. */
import { openDeadline } from '../../models/deadline.ts';
import type { Library, SearchOptions, SearchResult } from '../library.ts';
import { failureOf, unavailable } from './failure.ts';
import { fieldsOf, IMPORTED, type IndexFields } from './fields.ts';
import { passageOf } from './passage.ts';
import type { Hit, PlainRequest, SearchModule, SearchRequest } from './search-package.ts';
import type { CloudTarget } from './target.ts';

const SECONDS = 15;
const DEFAULT_LIMIT = 6;
const MOST_PASSAGES = 50;
/** The nearest that are fused with those found by words. */
const CANDIDATES = 50;
const LONGEST_QUERY = 4_000;

/** Of the semantic ranker's 0 to 4, from where on a passage is relevant, if only somewhat: the service's own scale. */
const RELEVANT = 1;

/** Throws DATABASE_CONNECTION_FAILED, CONFIGURATION_ERROR where the index cannot serve, or the signal's reason. */
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

  /** A key that may only query cannot read what an index is made of: then it is one that Azure's import has made. */
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
      const limit = Math.min(options.limit ?? DEFAULT_LIMIT, MOST_PASSAGES);
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
    // Followed, the key would go wherever the answer points to.
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
    // Gives the cosine and the BM25 of each hit, which the fused rank does not tell.
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

/** Without the operators of the simple query syntax: a question is no query language. */
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

/** By the cosine where a threshold says which, else by the ranker; without either every hit is a find. */
function isFound(passages: number, { ranks, cosines, threshold }: Evidence): boolean {
  if (passages === 0) return false;
  if (threshold !== undefined && cosines.length > 0) return cosines.some((cosine) => cosine >= threshold);
  return ranks.length === 0 || ranks.some((rank) => rank >= RELEVANT);
}
