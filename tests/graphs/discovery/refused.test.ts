/** Errors in langgraph.json name the file and the key, without the value. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLangGraphJson } from '../../../graphs/discovery/langgraph-json.ts';
import { refusalOf, written } from './written.ts';

const GRAPHS = { agent: './agent.ts:graph' };
const GRAPH = 'expected "./file.ts:export" or {path, description}';
const NAME = 'expected a name of 1 to 64 letters, digits, hyphens and underscores, a letter or digit first';

const CASES: [content: Record<string, unknown>, path: string, reason: string][] = [
  [{}, 'graphs', 'missing, expected a mapping of names to graphs'],
  [{ graphs: null }, 'graphs', 'missing, expected a mapping of names to graphs'],
  [
    { grahps: GRAPHS },
    'graphs',
    "missing, expected a mapping of names to graphs; the key 'grahps' is unknown",
  ],
  [{ graphs: ['./agent.ts:graph'] }, 'graphs', 'expected a mapping of names to graphs'],
  [{ graphs: { agent: 5 } }, 'graphs.agent', GRAPH],
  [{ graphs: { agent: null } }, 'graphs.agent', GRAPH],
  [{ graphs: { agent: '' } }, 'graphs.agent', GRAPH],
  [{ graphs: { agent: ':graph' } }, 'graphs.agent', GRAPH],
  [{ graphs: { agent: './agent.ts:graph:more' } }, 'graphs.agent', GRAPH],
  [{ graphs: { agent: { description: 'Answers letters.' } } }, 'graphs.agent', GRAPH],
  [{ graphs: { agent: { path: './agent.ts:graph', description: 5 } } }, 'graphs.agent', GRAPH],
  [{ graphs: { 'my agent': './agent.ts:graph' } }, 'graphs.my agent', NAME],
  [{ graphs: { _agent: './agent.ts:graph' } }, 'graphs._agent', NAME],
  [{ graphs: { ['a'.repeat(65)]: './agent.ts:graph' } }, `graphs.${'a'.repeat(65)}`, NAME],
  [{ graphs: GRAPHS, env: 5 }, 'env', 'expected the name of a file or a mapping of variables'],
  [{ graphs: GRAPHS, env: '' }, 'env', 'expected the name of a file or a mapping of variables'],
  [{ graphs: GRAPHS, env: { PORT: 8080 } }, 'env.PORT', 'expected text, in quotes'],
  [{ graphs: GRAPHS, env: { 'A=B': '1' } }, 'env.A=B', 'expected the name of a variable'],
  [{ graphs: GRAPHS, env: ['A', 1] }, 'env[1]', 'expected text, in quotes'],
  [{ graphs: GRAPHS, store: 'redis' }, 'store', 'expected a mapping of fields'],
  [
    { graphs: GRAPHS, store: { index: { embed: 'openai:small' } } },
    'store.index.dims',
    'missing, expected an integer of at least 1',
  ],
  [
    { graphs: GRAPHS, store: { index: { embed: 'openai:small', dims: '1536' } } },
    'store.index.dims',
    'expected an integer of at least 1',
  ],
  [
    { graphs: GRAPHS, store: { index: { embed: 'openai:small', dims: 3, fields: 'title' } } },
    'store.index.fields',
    'expected a list',
  ],
  [
    { graphs: GRAPHS, store: { ttl: { default_ttl: 0 } } },
    'store.ttl.default_ttl',
    'expected a number greater than 0',
  ],
  [
    { graphs: GRAPHS, store: { ttl: { refresh_on_read: 'yes' } } },
    'store.ttl.refresh_on_read',
    'expected true or false',
  ],
  [
    { graphs: GRAPHS, checkpointer: { ttl: { strategy: 'archive' } } },
    'checkpointer.ttl.strategy',
    'expected one of delete, keep_latest',
  ],
  [{ graphs: GRAPHS, http: { app: {} } }, 'http.app', 'expected "./file.ts:export"'],
  [{ graphs: GRAPHS, auth: false }, 'auth', 'expected a mapping of fields'],
];

test.each(CASES)('%j', async (content, path, reason) => {
  expect(await written(content).refusal()).toBe(
    `Validation error in field '${path}': ${reason} (langgraph.json)`,
  );
});

test('all problems are reported together', async () => {
  const { refusal } = written({ graphs: { agent: 5 }, env: { PORT: 8080 }, http: { app: 1 } });
  expect((await refusal()).split('\n')).toHaveLength(3);
});

test.each([
  ['{"graphs": {\n  "agent": }}', 'not valid JSON at line 2 column 12 (char 24)'],
  ['', 'not valid JSON at line 1 column 1 (char 0)'],
  ['{"graphs": {},}', 'not valid JSON at line 1 column 15 (char 14)'],
  ['{\n  // the graphs\n}', 'not valid JSON at line 2 column 3 (char 4); JSON has no comments'],
  ['[]', 'expected a JSON object'],
])('%j is rejected with its place', async (text, reason) => {
  expect(await written(text).refusal()).toBe(`Validation error in field 'langgraph.json': ${reason}`);
});

test('keys of Object.prototype are ordinary keys', async () => {
  const { refusal } = written('{"graphs": {"__proto__": "./agent.ts:graph"}}');
  expect(await refusal()).toContain(`'graphs.__proto__': ${NAME}`);
  const { read } = written(`{"graphs": {"constructor": "./agent.ts:graph"}, "__proto__": {"auth": {}}}`);
  const json = await read();
  expect(json.graphs.map(({ name }) => name)).toEqual(['constructor']);
  expect(json.protected).toBe(false);
});

test('an unreadable file is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-langgraph-'));
  expect(await refusalOf(readLangGraphJson(folder))).toContain('the file cannot be read (EISDIR)');
  rmSync(folder, { recursive: true });
  expect(await refusalOf(readLangGraphJson(join(folder, 'langgraph.json')))).toBe(
    "Validation error in field 'langgraph.json': the file cannot be read (ENOENT)",
  );
});
