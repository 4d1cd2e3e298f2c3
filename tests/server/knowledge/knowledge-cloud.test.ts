/** The knowledge base's endpoints with a cloud index, whose documents are managed elsewhere. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { refusal, SEARCH_KEY, type SearchService, searchService } from '../../support/search-service.ts';
import { type TestService, testService } from '../../support/service.ts';
import { answerOf, expectRefused } from '../support/refused.ts';

// Starting a service is slow on a busy machine.
setDefaultTimeout(120_000);

let search: SearchService;
let service: TestService;
beforeAll(async () => {
  search = searchService([
    { document: 'warranty.md', heading: 'Frames', text: 'Frames: five years.', cosine: 0.7 },
  ]);
  service = await testService({
    config: `
knowledge_base: {mode: cloud}
cloud_search: {endpoint: '${search.url}', index_name: docs, api_key: ${SEARCH_KEY}}
workflows: {knowledge-base-agent: {top_k: 4, threshold: 0.5}}
`,
  });
});
afterAll(async () => {
  await service.close();
  await search.close();
});

const find = (body: object) =>
  service.fetch('/api/v1/knowledge/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a search returns passages with their scores, by default at most as many as the workflow uses', async () => {
  const response = await find({ query: 'frames' });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    found: true,
    passages: [
      {
        ...{
          document: 'warranty.md',
          heading: 'Frames',
          page: 1,
          start: 0,
          end: 19,
          text: 'Frames: five years.',
        },
        scores: { vector: 0.7, text: 1, fused: 1 / 61 },
      },
    ],
  });
  expect(search.requests.at(-1)?.body.top).toBe(4);
  for (const limit of [1, 5, 20]) {
    await find({ query: 'frames', limit });
    expect(search.requests.at(-1)?.body.top).toBe(limit);
  }
});

test.each([
  [{}, 'query: expected text of 1 to 2000 characters, at least one of them non-blank'],
  [{ query: ' ' }, 'query: expected text of 1 to 2000 characters, at least one of them non-blank'],
  [
    { query: 'x'.repeat(2_001) },
    'query: expected text of 1 to 2000 characters, at least one of them non-blank',
  ],
  [{ query: 'x', limit: 0 }, 'limit: expected integer (minimum 1, maximum 100)'],
  [{ query: 'x', limit: '3' }, 'limit: expected integer (minimum 1, maximum 100)'],
])('%j is rejected', async (body, detail) => {
  const answer = await answerOf(find(body));
  expectRefused(answer, 400, 'INVALID_REQUEST');
  expect(answer.body.detail).toBe(detail);
});

test("documents can't be listed, added, read or removed", async () => {
  const put = { method: 'PUT', body: 'text' };
  const requests: [string, RequestInit][] = [
    ['/api/v1/knowledge/documents', {}],
    ['/api/v1/knowledge/documents/a.md', put],
    ['/api/v1/knowledge/documents/a.md', {}],
    ['/api/v1/knowledge/documents/a.md', { method: 'DELETE' }],
  ];
  for (const [path, init] of requests) {
    const answer = await answerOf(service.fetch(path, init));
    expectRefused(answer, 500, 'CONFIGURATION_ERROR');
    expect(answer.body.message).toBe(
      "Validation error in field 'knowledge_base.mode': must be 'local' for this: list, add and remove the documents of a cloud index in the service that hosts it",
    );
  }
});

test('a failing service makes health degraded until it works again', async () => {
  const component = async () => {
    const health = (await (await service.fetch('/api/v1/health')).json()) as Health;
    return { ...health.components.knowledge_base, status: health.status };
  };
  search.reply = () => refusal(401);
  await find({ query: 'frames' });
  expect(await component()).toMatchObject({ status: 'degraded', failing: 'DATABASE_CONNECTION_FAILED' });
  search.reply = undefined;
  await find({ query: 'frames' });
  expect(await component()).toEqual({ status: 'healthy', mode: 'cloud' });
});

interface Health {
  status: string;
  components: { knowledge_base: { mode: string; failing?: string } };
}

test('health, diagnostic and warnings report the cloud index without its key', async () => {
  const health = (await (await service.fetch('/api/v1/health')).json()) as { components: object };
  expect(health.components).toMatchObject({ knowledge_base: { status: 'healthy', mode: 'cloud' } });
  const text = await (await service.fetch('/api/v1/diagnostic')).text();
  expect(text).not.toContain(SEARCH_KEY);
  expect(JSON.parse(text).warnings).toContain(
    'knowledge_base.mode: a cloud search service instead of the local index is experimental',
  );
});
