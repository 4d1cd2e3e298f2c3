/** Which langgraph.json a project uses, and that one with `auth` is rejected unless the settings ignore it. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openLangGraphFile } from '../../cli/service/drivers/langgraph-file.ts';
import { refusalOf } from '../graphs/discovery/written.ts';
import { project } from '../settings/project.ts';

const json = (name: string) => JSON.stringify({ graphs: { [name]: './agent.ts:graph' } });
const PROTECTED = JSON.stringify({ graphs: { agent: './agent.ts:graph' }, auth: { path: './auth.ts:auth' } });

test('a project without langgraph.json uses none', async () => {
  expect(await openLangGraphFile(project().load())).toBeUndefined();
});

test('the file beside config.yml is read, whatever the working directory is', async () => {
  const { cwd, load } = project({
    'own/config.yml': '',
    'own/langgraph.json': json('beside'),
    'langgraph.json': json('elsewhere'),
  });
  const opened = await openLangGraphFile(load({ flags: { config: 'own/config.yml' } }));
  expect(opened?.graphs).toEqual([{ name: 'beside', path: join(cwd, 'own/agent.ts'), export: 'graph' }]);
});

test('langgraph.config is a path relative to config.yml, of a file or of a folder with langgraph.json', async () => {
  const files = { 'deploy/langgraph.json': json('deployed'), 'langgraph.json': json('beside') };
  for (const config of ['./deploy/langgraph.json', 'deploy']) {
    const { load } = project({ ...files, 'config.yml': `langgraph: {config: ${config}}` });
    expect((await openLangGraphFile(load()))?.graphs[0]?.name).toBe('deployed');
  }
});

test('SERVICE_LANGGRAPH_CONFIG takes precedence over config.yml, and is also read from .env', async () => {
  const files = {
    'config.yml': 'langgraph: {config: first.json}',
    'first.json': json('first'),
    'second.json': json('second'),
    'third.json': json('third'),
    '.env': 'SERVICE_LANGGRAPH_CONFIG=third.json',
  };
  const { load } = project(files);
  expect((await openLangGraphFile(load()))?.graphs[0]?.name).toBe('third');
  const loaded = load({ env: { SERVICE_LANGGRAPH_CONFIG: 'second.json' } });
  expect((await openLangGraphFile(loaded))?.graphs[0]?.name).toBe('second');
  expect(loaded.sources['langgraph.config']).toBe('environment SERVICE_LANGGRAPH_CONFIG');
});

test('a configured file must exist', async () => {
  for (const config of ['missing.json', 'config.yml/langgraph.json', '.']) {
    const { load } = project({ 'config.yml': `langgraph: {config: ${config}}` });
    expect(await refusalOf(openLangGraphFile(load()))).toBe(
      "Validation error in field 'langgraph.config': the file does not exist",
    );
  }
});

test('a file with auth is rejected in one sentence unless langgraph.ignore_auth is set', async () => {
  const { load } = project({ 'langgraph.json': PROTECTED });
  expect(await refusalOf(openLangGraphFile(load()))).toBe(
    "Validation error in field 'langgraph.ignore_auth': langgraph.json has 'auth', which is not supported; set this to true to serve its graphs without it",
  );
  const opened = await openLangGraphFile(load({ env: { SERVICE_LANGGRAPH__IGNORE_AUTH: 'true' } }));
  expect(opened).toMatchObject({ protected: true, graphs: [{ name: 'agent' }] });
  expect(opened?.notes).toEqual(['langgraph.json: auth is not supported and has no effect']);
});

test('auth without a path counts as auth', async () => {
  const { load } = project({
    'langgraph.json': JSON.stringify({ graphs: {}, auth: { disable_studio_auth: true } }),
  });
  expect(await refusalOf(openLangGraphFile(load()))).toContain("langgraph.json has 'auth'");
});

test('LANGGRAPH_CONFIG is read from env of the file, the real environment takes precedence, and it is not passed on', async () => {
  const config = (model: string) => ({ agent: { configurable: { model } } });
  const file = (env: object) => ({ 'langgraph.json': JSON.stringify({ graphs: {}, env }) });
  const { load } = project(file({ LANGGRAPH_CONFIG: config('file') }));
  expect((await openLangGraphFile(load()))?.graphConfigs).toEqual(config('file'));
  expect(process.env.LANGGRAPH_CONFIG).toBeUndefined();
  try {
    process.env.LANGGRAPH_CONFIG = JSON.stringify(config('real'));
    expect((await openLangGraphFile(load()))?.graphConfigs).toEqual(config('real'));
    process.env.LANGGRAPH_CONFIG = '{"agent": 1}';
    expect(await refusalOf(openLangGraphFile(load()))).toBe(
      "Validation error in field 'LANGGRAPH_CONFIG.agent': expected a mapping with configurable or context",
    );
  } finally {
    delete process.env.LANGGRAPH_CONFIG;
  }
});
