/** `env` of langgraph.json, and which of its variables are set. */
import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { unsetVariables } from '../../../graphs/discovery/langgraph-env.ts';
import { written } from './written.ts';

const GRAPHS = { agent: './agent.ts:graph' };

test('a file is parsed as dotenv, relative to the folder of langgraph.json', async () => {
  const text = [
    '\uFEFFFIRST=1\r',
    '# a comment',
    'export QUOTED="a # b"',
    "LINES='one\ntwo'",
    'AS_IT_STANDS=$FIRST',
    'EMPTY=',
  ].join('\n');
  const { read } = written({ graphs: GRAPHS, env: './config/.env.local' }, { 'config/.env.local': text });
  const json = await read();
  expect(json.env).toEqual({
    ...{ FIRST: '1', QUOTED: 'a # b', LINES: 'one\ntwo', EMPTY: '' },
    AS_IT_STANDS: '$FIRST',
  });
  expect(json.notes).toEqual([]);
});

test('a mapping is used unchanged', async () => {
  const { read } = written({ graphs: GRAPHS, env: { MODEL: ' small ', KEY: '$OTHER' } });
  expect((await read()).env).toEqual({ MODEL: ' small ', KEY: '$OTHER' });
});

test('names without values set nothing, which is noted', async () => {
  const { read } = written({ graphs: GRAPHS, env: ['OPENAI_API_KEY'] });
  const json = await read();
  expect(json.env).toEqual({});
  expect(json.notes).toEqual(['langgraph.json: env lists names without values, so it sets no variable']);
});

test('an unreadable file is rejected', async () => {
  const { folder, refusal } = written({ graphs: GRAPHS, env: 'variables' });
  mkdirSync(join(folder, 'variables'));
  expect(await refusal()).toBe(
    "Validation error in field 'env': the file cannot be read (EISDIR) (langgraph.json)",
  );
});

test('the real environment wins, and an empty variable is an unset one', () => {
  const env = { SET: 'file', BLANK: 'file', UNSET: 'file', EMPTY: '' };
  expect(unsetVariables(env, { SET: 'real', BLANK: '' })).toEqual({ BLANK: 'file', UNSET: 'file' });
});
