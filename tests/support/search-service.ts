/** Azure AI Search's REST API on a real socket: an index with a definition and hits from the test. */

export interface SearchService {
  url: string;
  requests: { method: string; path: string; apiVersion: string | null; headers: Headers; body: SearchBody }[];
  /** Overrides the response to the next requests; undefined: the index responds. */
  reply: ((request: Request) => Response | Promise<Response> | undefined) | undefined;
  close(): Promise<void>;
}

interface SearchBody {
  search?: string;
  top?: number;
  select?: string;
  debug?: string;
  queryType?: string;
  semanticConfiguration?: string;
  vectorQueries?: { kind: string; text: string; fields: string; k: number }[];
}

export interface StoredChunk {
  document: string;
  heading?: string;
  text: string;
  start?: number;
  cosine?: number;
  reranker?: number;
}

export const SEARCH_KEY = 'cloud-search-key-canary';

const field = (name: string, more: object = {}) => ({
  name,
  type: 'Edm.String',
  searchable: true,
  retrievable: true,
  ...more,
});

/** An index with headings, pages and offsets, and with integrated vectorization. */
export const INDEX = {
  name: 'docs',
  fields: [
    field('id', { key: true, searchable: false }),
    field('content'),
    field('title'),
    field('header_1'),
    field('header_2'),
    field('page_number', { type: 'Edm.Int32', searchable: false }),
    field('start_offset', { type: 'Edm.Int32', searchable: false }),
    field('content_vector', {
      type: 'Collection(Edm.Single)',
      dimensions: 3,
      vectorSearchProfile: 'profile',
      retrievable: false,
    }),
  ],
  vectorSearch: {
    algorithms: [{ name: 'hnsw', kind: 'hnsw' }],
    profiles: [{ name: 'profile', algorithm: 'hnsw', vectorizer: 'openai' }],
    vectorizers: [{ name: 'openai', kind: 'azureOpenAI', azureOpenAIParameters: {} }],
  },
};

/** Returns the chunks that share a word with the query or have a similarity, in the format of the API. */
export function searchService(chunks: StoredChunk[] = [], definition: object = INDEX): SearchService {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const body = request.method === 'POST' ? ((await request.clone().json()) as SearchBody) : {};
      const [method, apiVersion] = [request.method, searchParams.get('api-version')];
      service.requests.push({ method, path: pathname, apiVersion, headers: request.headers, body });
      const reply = await service.reply?.(request);
      if (reply) return reply;
      if (request.headers.get('api-key') !== SEARCH_KEY) return refusal(403);
      if (pathname === "/indexes('docs')") return Response.json(definition);
      if (pathname !== "/indexes('docs')/docs/search.post.search") return refusal(404);
      return Response.json({ value: hitsOf(chunks, body) });
    },
  });
  const service: SearchService = {
    url: `http://127.0.0.1:${server.port}`,
    requests: [],
    reply: undefined,
    close: () => server.stop(true),
  };
  return service;
}

/** An error response of the API. */
export function refusal(status: number, headers: Record<string, string> = {}): Response {
  const error = { code: String(status), message: `search service text canary ${SEARCH_KEY}` };
  return Response.json({ error }, { status, headers });
}

function hitsOf(chunks: StoredChunk[], { search = '', top = 50, queryType }: SearchBody): object[] {
  const words = search.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return chunks
    .map((chunk, at) => ({
      chunk,
      at,
      shared: words.filter((word) => chunk.text.toLowerCase().includes(word)),
    }))
    .filter(({ chunk, shared }) => shared.length > 0 || chunk.cosine !== undefined)
    .slice(0, top)
    .map(({ chunk, at, shared }, rank) => ({
      '@search.score': 1 / (60 + rank + 1),
      ...(queryType === 'semantic' && { '@search.rerankerScore': chunk.reranker ?? 2 }),
      '@search.documentDebugInfo': {
        vectors: {
          subscores: {
            text: { searchScore: shared.length },
            vectors:
              chunk.cosine === undefined
                ? []
                : [{ content_vector: { searchScore: 0.5, vectorSimilarity: chunk.cosine } }],
          },
        },
      },
      id: `chunk-${at}`,
      content: chunk.text,
      title: chunk.document,
      header_1: chunk.heading ?? null,
      header_2: null,
      page_number: 1,
      start_offset: chunk.start ?? 0,
    }));
}
