/** langgraph.json is read as the LangGraph CLI reads it. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { written } from './written.ts';

const GRAPHS = { agent: './agent.ts:graph' };

test('graphs have absolute paths, an export and a description', async () => {
  const { file, folder, read } = written({
    graphs: {
      agent: './src/agent/graph.ts:graph',
      'by-default': './src/other.mts:',
      no_colon: 'plain.js',
      described: { path: '../elsewhere/graph.tsx:createGraph', description: 'Answers letters.' },
      bare: { path: './bare.ts:graph', description: null },
    },
  });
  const json = await read();
  expect(json).toEqual({
    file,
    graphs: [
      { name: 'agent', path: join(folder, 'src/agent/graph.ts'), export: 'graph' },
      { name: 'by-default', path: join(folder, 'src/other.mts'), export: 'default' },
      { name: 'no_colon', path: join(folder, 'plain.js'), export: 'default' },
      {
        name: 'described',
        path: join(folder, '../elsewhere/graph.tsx'),
        export: 'createGraph',
        description: 'Answers letters.',
      },
      { name: 'bare', path: join(folder, 'bare.ts'), export: 'graph' },
    ],
    refused: [],
    env: {},
    graphConfigs: {},
    protected: false,
    notes: [],
  });
});

describe('files like those of templates', () => {
  test('an agent with a .env that does not exist yet', async () => {
    const { read } = written({
      node_version: '20',
      dockerfile_lines: [],
      dependencies: ['.'],
      graphs: { agent: './src/letters/graph.ts:graph' },
      env: '.env',
    });
    const json = await read();
    expect(json.graphs.map(({ name }) => name)).toEqual(['agent']);
    expect(json.notes).toEqual(["langgraph.json: env: file '.env' is not found, so it sets no variable"]);
  });

  test('an agent with a memory for semantic search', async () => {
    const { read } = written({
      node_version: '20',
      graphs: { agent: './src/memory/graph.ts:graph' },
      store: {
        index: { embed: 'openai:text-embedding-3-small', dims: 1536, fields: ['title', '$'] },
        ttl: { refresh_on_read: true, default_ttl: 10080, sweep_interval_minutes: 60 },
      },
      checkpointer: {
        ttl: { strategy: 'delete', sweep_interval_minutes: 60, default_ttl: 43200, sweep_limit: 100 },
      },
    });
    const json = await read();
    expect(json.store).toEqual({
      index: { embed: 'openai:text-embedding-3-small', dims: 1536, fields: ['title', '$'] },
      ttl: { refresh_on_read: true, default_ttl: 10080, sweep_interval_minutes: 60 },
    });
    expect(json.checkpointer?.ttl).toMatchObject({
      strategy: 'delete',
      default_ttl: 43200,
      sweep_interval_minutes: 60,
    });
    expect(json.notes).toEqual([]);
  });

  test('many graphs, built in their own image', async () => {
    const { read } = written({
      $schema: 'https://langgra.ph/schema.json',
      node_version: '22',
      graphs: {
        ingest_data: './src/agents/ingest/ingest-graph.ts:graph',
        supervisor: './src/agents/supervisor/index.ts:supervisorGraph',
      },
      env: {},
      dependencies: ['.'],
      dockerfile_lines: ['RUN npx -y playwright install --with-deps'],
      image_distro: 'bookworm',
      api_version: '0.7',
    });
    const json = await read();
    expect(json.graphs).toHaveLength(2);
    expect(json.notes).toEqual([]);
  });

  test('custom routes, components and the configuration of assistants', async () => {
    const configuration = '{"agent": {"configurable": {"model_name": "small"}}}';
    const { folder, read } = written({
      node_version: '20',
      graphs: { agent: './agent.mts:graph' },
      ui: { agent: './agent/ui.tsx' },
      ui_config: { shared: ['react'] },
      http: { app: './http.mts:app', cors: { allow_origins: ['*'] }, disable_meta: false },
      env: { LANGGRAPH_CONFIG: configuration },
    });
    const json = await read();
    expect(json.httpApp).toEqual({ path: join(folder, 'http.mts'), export: 'app' });
    expect(json.env).toEqual({ LANGGRAPH_CONFIG: configuration });
    expect(json.ui).toEqual({ files: { agent: join(folder, 'agent/ui.tsx') }, shared: ['react'] });
    expect(json.notes).toEqual([
      'langgraph.json: http.cors is not supported and has no effect',
      'langgraph.json: ui.agent: file "ui.tsx" does not exist',
    ]);
  });

  test('null counts as missing', async () => {
    const { read } = written({
      graphs: GRAPHS,
      ...{ auth: null, env: null, ui: null, http: { app: null } },
      store: { index: null, ttl: { default_ttl: null } },
      checkpointer: { ttl: null },
    });
    const json = await read();
    expect(json).toMatchObject({
      protected: false,
      env: {},
      notes: [],
      store: { ttl: {} },
      checkpointer: {},
    });
    expect(json.httpApp).toBeUndefined();
  });

  test('Python graphs are rejected by name, the others are read', async () => {
    const { read } = written({
      python_version: '3.12',
      dependencies: ['./my_agent'],
      graphs: {
        agent: './my_agent/agent.py:graph',
        reviewer: 'my_agent.graphs.reviewer:graph',
        module: { path: 'reviewer:graph' },
        typed: 'reviewer.ts:graph',
      },
      http: { app: 'my_agent.webapp:app' },
    });
    const json = await read();
    expect(json.graphs.map(({ name }) => name)).toEqual(['typed']);
    expect(json.refused).toEqual(
      ['agent', 'reviewer', 'module'].map((name) => ({
        name,
        problem: `langgraph.json: graphs.${name} is written in Python, which is not supported`,
      })),
    );
    expect(json.httpApp).toBeUndefined();
    expect(json.notes).toEqual(['langgraph.json: http.app is written in Python, which is not supported']);
  });
});

test('unknown keys are noted with the one that was probably meant', async () => {
  const { read } = written({
    graphs: { agent: { path: './agent.ts:graph', descripton: 'Answers letters.' } },
    name: 'letters',
    store: { indx: {}, path: './store.ts:store' },
    checkpoint: { ttl: {} },
    checkpointer: { backend: 'default', ttl: { default: 5 } },
    http: { disable_store: true, disable_mcp: false },
    webhooks: { env_prefix: 'HOOK_' },
    encryption: {},
  });
  const { notes } = await read();
  expect(notes.map((note) => note.replace('langgraph.json: ', '')).toSorted()).toEqual([
    'http.disable_store is not supported and has no effect',
    'store.path is not supported and has no effect',
    "unknown key checkpoint, did you mean 'checkpointer'?",
    "unknown key checkpointer.ttl.default, did you mean 'default_ttl'?",
    "unknown key graphs.agent.descripton, did you mean 'description'?",
    'unknown key name is ignored',
    "unknown key store.indx, did you mean 'index'?",
    'webhooks is not supported and has no effect',
  ]);
});

test('a byte order mark is skipped', async () => {
  const { read } = written(`\uFEFF${JSON.stringify({ graphs: GRAPHS })}`);
  expect((await read()).graphs).toHaveLength(1);
});
