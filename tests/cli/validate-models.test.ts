/** What `skein validate` reports about providers, each a real server. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from '../../cli/service/checks/check.ts';
import { modelChecks } from '../../cli/service/checks/model-checks.ts';
import { loadSettings } from '../../settings/load.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-model-checks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const checksOf = (env: Record<string, string>) =>
  modelChecks(loadSettings({ cwd: folder, env, flags: {} }).settings);

/** Returns the checks of a provider with this response. */
async function checked(
  fetch: (request: Request) => Response | Promise<Response>,
  env: Record<string, string> = {},
): Promise<Check[]> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
  const settings = {
    LLM_PROVIDER_BASE_URL: `${server.url}v1`,
    LLM_PROVIDER_API_KEY: 'key-canary',
    LLM_PROVIDER_MODEL: 'm',
  };
  return checksOf({ ...settings, ...env }).finally(() => server.stop(true));
}

const chatModel = (checks: Check[]) => checks.filter(({ name }) => name === 'chat model');
const list = (...ids: string[]) => Response.json({ data: ids.map((id) => ({ id })) });

test.each<[string, Check['state'], string, () => Response]>([
  ['lists the model', 'ok', 'reachable, model found', () => list('a', 'm')],
  ['has no list', 'ok', 'reachable', () => new Response('', { status: 404 })],
  ['lists something else', 'ok', 'reachable', () => new Response('<html>')],
  ['does not have the model', 'warning', 'does not list this model', () => list('a')],
  [
    'refuses the key',
    'failed',
    'the key is rejected (401)',
    () => new Response('no key-canary', { status: 401 }),
  ],
  ['is broken', 'warning', 'returns 500', () => new Response('', { status: 500 })],
  ['redirects', 'failed', 'it redirects (302)', () => Response.redirect('http://127.0.0.1:9/', 302)],
])('a provider that %s: %s', async (_what, state, words, answer) => {
  const checks = await checked(answer);
  expect(chatModel(checks)).toMatchObject([{ state, found: expect.stringContaining(words) }]);
  expect(JSON.stringify(checks)).not.toContain('key-canary');
});

test('a provider gets the key, and no billed call', async () => {
  const requests: string[] = [];
  const checks = await checked(
    (request) => {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      const isKnown = request.headers.get('authorization') === 'Bearer key-canary';
      return new Response('', { status: isKnown ? 404 : 401 });
    },
    { LLM_PROVIDER_EMBEDDING_MODEL: 'e' },
  );
  expect(requests).toEqual(['GET /v1/models', 'GET /v1/models']);
  expect(checks.map(({ name, state }) => [name, state])).toEqual([
    ['chat model', 'ok'],
    ['embedding model', 'ok'],
  ]);
});

test("a provider that is unreachable or doesn't respond fails", async () => {
  const unreachable = await checksOf({ LLM_PROVIDER_BASE_URL: 'http://127.0.0.1:9/v1' });
  expect(chatModel(unreachable)).toMatchObject([
    { state: 'failed', found: expect.stringContaining('unreachable') },
  ]);
  const silent = await checked(() => Promise.withResolvers<Response>().promise);
  expect(chatModel(silent)).toMatchObject([
    { state: 'failed', found: expect.stringContaining('no answer within') },
  ]);
}, 30_000);
