/** GET /api/v1/search: full-text search over runs. */
import { expect, test } from 'bun:test';
import type { Highlight } from '../../server/search/snippet.ts';
import { runningProvider, runningService } from './support/running.ts';

const CONFIG = `
web_configuration:
  authentication:
    enable: true
    enable_global_middleware: true
    jwt_secret_key: 0123456789abcdef0123456789abcdef
    username: ann
    password: a long password
    operators: ['user:ann']
    api_keys: [{name: batch, sha256: ${new Bun.CryptoHasher('sha256').update('key-of-the-batch-0123456789abcdef').digest('hex')}}]
`;
const ANN = { authorization: `Basic ${btoa('ann:a long password')}` };
const BATCH = { 'x-api-key': 'key-of-the-batch-0123456789abcdef' };

const service = runningService(runningProvider(), CONFIG);

async function search(query: Record<string, string>, headers: Record<string, string> = ANN) {
  const response = await service.fetch(`/api/v1/search?${new URLSearchParams(query)}`, { headers });
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  const body: any = await response.json();
  return { status: response.status, body };
}

test('a turn is found by its question when it has ended, with the position of the match', async () => {
  const prompt = `${'Long ago. '.repeat(30)}My dérailleur is broken, said Ann.`;
  const { body: turn } = await service.chat({ user_prompt: prompt }, ANN);
  const { status, body } = await search({ q: 'DERAILLEUR brok*', kind: 'question' });
  expect(status).toBe(200);
  const [hit] = body.hits;
  expect(body).toMatchObject({ next_cursor: null, complete: true });
  expect(body.hits).toHaveLength(1);
  expect(hit).toMatchObject({
    ...{ kind: 'question', agent: null, tool: null, thread_id: turn.thread_id },
    ...{ workflow: 'classification-agent', status: 'succeeded' },
  });
  expect(hit.owner).toBeUndefined();
  expect(hit.snippet).toEndWith('My dérailleur is broken, said Ann.');
  expect(hit.highlights.map(({ start, end }: Highlight) => hit.snippet.slice(start, end))).toEqual([
    'dérailleur',
    'broken',
  ]);
});

test('a caller only finds its own runs, an operator those of others', async () => {
  await service.chat({ user_prompt: 'Where is the zeppelin?' }, BATCH);
  const question = { q: 'zeppelin', kind: 'question' };
  expect((await search(question, BATCH)).body.hits).toHaveLength(1);
  expect((await search(question)).body.hits).toEqual([]);
  expect((await search({ ...question, owner: '*' })).body.hits).toMatchObject([{ owner: 'key:batch' }]);
  expect((await search({ ...question, owner: 'key:batch' })).body.hits).toHaveLength(1);
  expect((await search({ ...question, owner: '*' }, BATCH)).body.hits).toEqual([]);
});

test('hits are filtered by workflow, status and time, with pages', async () => {
  for (const number of [1, 2, 3]) await service.chat({ user_prompt: `The gearbox ${number}` }, ANN);
  const query = { q: 'gearbox', kind: 'question' };
  const hits = async (more: Record<string, string>) => (await search({ ...query, ...more })).body.hits.length;
  expect(await hits({ workflow: 'Classification_Agent' })).toBe(3);
  expect(await hits({ workflow: 'knowledge-base-agent' })).toBe(0);
  expect(await hits({ status: 'failed' })).toBe(0);
  expect(await hits({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })).toBe(0);
  expect(await hits({ from: '2020-01-01T00:00:00Z' })).toBe(3);
  expect(await hits({ min_tokens: '1', min_duration_ms: '0' })).toBe(3);
  expect(await hits({ min_tokens: '100000000' })).toBe(0);
  expect(await hits({ error_code: 'RUN_TIMEOUT' })).toBe(0);
  expect(await hits({ feedback: 'negative' })).toBe(0);
  expect(await hits({ prompt: 'no-such-file.jinja' })).toBe(0);
  const first = (await search({ ...query, limit: '2' })).body;
  const rest = (await search({ ...query, limit: '2', cursor: first.next_cursor })).body;
  expect([...first.hits, ...rest.hits].map(({ snippet }) => snippet)).toEqual([
    'The gearbox 3',
    'The gearbox 2',
    'The gearbox 1',
  ]);
  expect(rest.next_cursor).toBeNull();
});

test.each([
  [{ q: '' }, 'q'],
  [{ q: '?!"' }, 'q: expected at least one letter or digit'],
  [{ q: 'a', kind: 'thought' }, 'kind'],
  [{ q: 'a', from: 'yesterday' }, 'from'],
  [{ q: 'a', to: '2026-13-01T00:00:00Z' }, 'to'],
  [{ q: 'a', min_cost: 'much' }, 'min_cost'],
  [{ q: 'a', prompt_version: '1' }, 'prompt_version: only allowed together with prompt'],
  [{ q: 'a', cursor: 'x' }, 'cursor'],
  [{}, 'q'],
])('a search for %j is rejected', async (query, detail) => {
  const { status, body } = await search(query as Record<string, string>);
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect(body.detail).toStartWith(detail);
});

test('SQL and FTS syntax in a search is treated as words', async () => {
  for (const q of [
    `a" OR "b`,
    `'; DROP TABLE runs; --`,
    'NEAR(a b)',
    'a AND NOT b',
    'words:a',
    `':* | 'a`,
    '*',
    '^a',
  ])
    expect([q, [200, 400].includes((await search({ q })).status)]).toEqual([q, true]);
  expect((await search({ q: 'NOT zeppelin' })).body.hits).toEqual([]);
});

test('a search requires credentials', async () => {
  expect((await search({ q: 'a' }, {})).status).toBe(401);
});
