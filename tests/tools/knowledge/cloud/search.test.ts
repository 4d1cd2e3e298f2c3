/** The library over Azure AI Search, against a double of its REST interface on a real socket. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SkeinError } from '../../../../state/errors.ts';
import { openCloudLibrary } from '../../../../tools/knowledge/cloud/open.ts';
import type { SearchModule } from '../../../../tools/knowledge/cloud/search-package.ts';
import type { Library } from '../../../../tools/knowledge/library.ts';
import {
  INDEX,
  refusal,
  SEARCH_KEY,
  type SearchService,
  searchService,
} from '../../../support/search-service.ts';

const CHUNKS = [
  {
    document: 'warranty.md',
    heading: 'Frames',
    text: 'Frames are covered for five years.',
    start: 40,
    cosine: 0.8,
  },
  { document: 'returns.md', text: 'Bring the receipt for your refund.' },
];

let service: SearchService;
let library: Library;
beforeEach(() => {
  service = searchService(CHUNKS);
  library = open();
});
afterEach(() => service.close());

function open(more: object = {}): Library {
  return openCloudLibrary({ endpoint: service.url, index_name: 'docs', api_key: SEARCH_KEY, ...more });
}

async function failure(work: Promise<unknown>): Promise<SkeinError> {
  const error = await work.catch((error: unknown) => error);
  if (!(error instanceof SkeinError)) throw new Error(`expected a SkeinError, got ${error}`);
  return error;
}

test('a hit is a passage with its document, heading, page, span and scores', async () => {
  const { found, passages } = await library.search('How long are frames covered?');
  expect(found).toBe(true);
  expect(passages).toEqual([
    {
      id: 'chunk-0',
      document: 'warranty.md',
      heading: 'Frames',
      page: 1,
      start: 40,
      end: 74,
      text: 'Frames are covered for five years.',
      context: 'Frames are covered for five years.',
      scores: { vector: 0.8, text: 2, fused: 1 / 61 },
    },
  ]);
});

test('the request has the query as words and as text for the vectors, with the version and the key', async () => {
  await library.search('-frames +"covered" (e-bike)', { limit: 3 });
  const [index, query] = service.requests;
  expect(index).toMatchObject({ method: 'GET', path: "/indexes('docs')" });
  expect(query).toMatchObject({
    method: 'POST',
    path: "/indexes('docs')/docs/search.post.search",
    body: {
      top: 3,
      select: 'id,content,title,header_1,header_2,page_number,start_offset',
      debug: 'vector',
      vectorQueries: [{ kind: 'text', text: '-frames +"covered" (e-bike)', fields: 'content_vector', k: 50 }],
    },
  });
  expect(query?.body.search?.split(/\s+/).filter(Boolean)).toEqual(['frames', 'covered', 'e-bike']);
  expect(query?.body.queryType).toBeUndefined();
  for (const { apiVersion, headers } of service.requests) {
    expect(apiVersion).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(headers.get('api-key')).toBe(SEARCH_KEY);
  }
});

test('the index definition is requested once', async () => {
  await library.search('frames');
  await library.search('receipt');
  expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
});

test('an index without a vectorizer is searched by words only', async () => {
  await service.close();
  const { vectorSearch, ...plain } = INDEX;
  service = searchService(CHUNKS, {
    ...plain,
    vectorSearch: { ...vectorSearch, vectorizers: [], profiles: [{ name: 'profile', algorithm: 'hnsw' }] },
  });
  await open().search('frames');
  expect(service.requests.at(-1)?.body.vectorQueries).toBeUndefined();
});

test('with a query key, the index is assumed to be that of the import wizard', async () => {
  service.reply = (request) => {
    if (request.method === 'GET') return refusal(403);
    const hit = { '@search.score': 1, chunk_id: 'c1', chunk: 'Frames last.', title: 'frames.pdf' };
    return Response.json({ value: [hit] });
  };
  const { passages } = await library.search('frames');
  expect(service.requests.at(-1)?.body).toMatchObject({
    select: 'chunk_id,chunk,title',
    vectorQueries: [{ kind: 'text', fields: 'text_vector' }],
  });
  expect(passages).toMatchObject([
    { id: 'c1', document: 'frames.pdf', heading: '', page: null, start: 0, end: 12, text: 'Frames last.' },
  ]);
});

test('with a semantic configuration, the ranker decides whether something was found', async () => {
  await service.close();
  service = searchService([{ document: 'a.md', text: 'Frames of doors.', reranker: 0.4 }]);
  const ranked = open({ semantic_configuration: 'ranking' });
  expect((await ranked.search('frames')).found).toBe(false);
  expect(service.requests.at(-1)?.body).toMatchObject({
    queryType: 'semantic',
    semanticConfiguration: 'ranking',
  });
  expect((await open().search('frames')).found).toBe(true);
});

test('a threshold applies to the cosine', async () => {
  expect((await library.search('frames', { threshold: 0.81 })).found).toBe(false);
  expect((await library.search('frames', { threshold: 0.79 })).found).toBe(true);
});

test('a query without matches finds nothing', async () => {
  await service.close();
  service = searchService([{ document: 'a.md', text: 'Frames.' }]);
  expect(await open().search('qqqq')).toEqual({ found: false, passages: [] });
});

test('a missing setting is named, and no request is sent', () => {
  for (const field of ['endpoint', 'index_name', 'api_key'] as const) {
    expect(() => open({ [field]: undefined })).toThrow(
      `Validation error in field 'cloud_search.${field}': missing; knowledge_base.mode: cloud needs it`,
    );
  }
  expect(() => openCloudLibrary(undefined)).toThrow("field 'cloud_search.endpoint'");
  expect(service.requests).toHaveLength(0);
});

test.each([
  [401, 'the service rejects cloud_search.api_key'],
  [404, 'the service has no index named by cloud_search.index_name'],
  [400, 'the service rejects the query'],
  [302, 'the service responded with status 302'],
  [500, 'the service responded with status 500'],
])("status %i is an error with the service's own message", async (status, reason) => {
  service.reply = () => refusal(status, { location: 'http://127.0.0.1:9/' });
  const error = await failure(library.search('frames'));
  expect(error.code).toBe('DATABASE_CONNECTION_FAILED');
  expect(error.detail).toStartWith(`Cloud search: ${reason}`);
  expect(`${error.message} ${error.detail}`).not.toMatch(/canary|127\.0\.0\.1/);
});

test('requests to a busy service are retried at most twice', async () => {
  await library.search('frames');
  service.requests.length = 0;
  let refusals = 2;
  service.reply = () => (refusals-- > 0 ? refusal(503, { 'retry-after': '0' }) : undefined);
  expect((await library.search('frames')).found).toBe(true);
  expect(service.requests).toHaveLength(3);
  service.requests.length = 0;
  service.reply = () => refusal(429, { 'retry-after': '0' });
  expect((await failure(library.search('frames'))).detail).toBe('Cloud search: the service is too busy');
  expect(service.requests).toHaveLength(3);
});

test('an unreachable service, or one with an invalid answer, is an error', async () => {
  service.reply = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  expect((await failure(library.search('frames'))).code).toBe('DATABASE_CONNECTION_FAILED');
  await service.close();
  expect((await failure(library.search('frames'))).detail).toBe(
    'Cloud search: the service cannot be reached, or its response cannot be read',
  );
});

test('an aborted search ends with the reason, and aborts the request', async () => {
  const controller = new AbortController();
  const aborted = Promise.withResolvers<void>();
  service.reply = (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    controller.abort(new Error('given up'));
    return new Promise(() => {});
  };
  await expect(library.search('frames', { signal: controller.signal })).rejects.toThrow('given up');
  await aborted.promise;
  expect(service.requests).toHaveLength(1);
});

test('documents cannot be changed', async () => {
  const refused = [
    library.add('a.md', new Uint8Array()),
    library.remove('a.md'),
    library.documents(),
    library.read('a.md'),
  ];
  for (const work of refused) {
    const { code, field } = await failure(work);
    expect({ code, field }).toEqual({ code: 'CONFIGURATION_ERROR', field: 'knowledge_base.mode' });
  }
});

test('an index without a text field is rejected by name', async () => {
  await service.close();
  service = searchService(CHUNKS, {
    ...INDEX,
    fields: INDEX.fields.filter(({ name }) => !/content|title|header/.test(name)),
  });
  expect((await failure(open().search('frames'))).field).toBe('cloud_search.index_name');
});

test('the package has the values that the search copies', async () => {
  const azure: SearchModule = await import('@azure/search-documents');
  for (const name of ['AzureKeyCredential', 'SearchClient', 'SearchIndexClient'] as const)
    expect(azure[name]).toBeFunction();
});
