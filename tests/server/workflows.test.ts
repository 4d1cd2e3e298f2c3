/** The list of workflows, the status of one, and its graph. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Provider, scriptedProvider } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { echoing, failure } from './calls.ts';
import { answerOf, expectRefused } from './refused.ts';
import { xmlProblem } from './well-formed.ts';

let provider: Provider;
let service: TestService;

beforeAll(async () => {
  provider = scriptedProvider(echoing());
  service = await testService({ env: providerEnv(provider.url) });
});

afterAll(async () => {
  await service.close();
  await provider.close();
});

const get = (path: string) => answerOf(service.fetch(path));

const CATEGORIES = ['product_inquiry', 'purchase', 'support', 'feedback', 'other'];
const AGENTS = ['classification_agent', ...CATEGORIES.map((category) => `${category}_responder`)];
const TEXT = expect.stringMatching(/\S/);
const ENTRY = {
  workflow: 'classification-agent',
  alias: 'classification_agent',
  supported_names: ['classification-agent', 'classification_agent'],
  description: TEXT,
  category: 'core',
  agents: AGENTS.map((name) => ({ name, description: TEXT })),
  configured: true,
  missing_config: [],
  required_config: [],
  external_services: ['language model provider'],
  ready: true,
  prompt_revision: 'default',
  prompt_files: [...AGENTS, 'responder'].map((agent) => `classification-agent.${agent}.jinja`).toSorted(),
  source: 'core',
  test_command: expect.stringMatching(/^curl /),
  documentation: TEXT,
};

describe('the list', () => {
  test('has an entry per workflow, their names by category, and how many are configured', async () => {
    const { status, body } = await get('/api/v1/workflows');
    expect(status).toBe(200);
    const { workflows, by_category, summary, naming_note, ...rest } = body;
    expect(rest).toEqual({});
    expect(
      workflows.find(({ workflow }: { workflow: string }) => workflow === 'classification-agent'),
    ).toEqual(ENTRY);
    expect(Object.values(by_category).flat()).toEqual(
      workflows.map(({ workflow }: { workflow: string }) => workflow),
    );
    expect(summary.total).toBe(workflows.length);
    expect(summary.configured + summary.unconfigured).toBe(summary.total);
    expect(naming_note).toEqual(TEXT);
  });

  test('gives for every workflow a command that a shell can run and that is answered', async () => {
    const { body } = await get('/api/v1/workflows');
    for (const { test_command, workflow } of body.workflows) {
      const shell = Bun.spawn(['sh', '-c', `${test_command} --silent --write-out '\\n%{http_code}'`]);
      const lines = (await new Response(shell.stdout).text()).split('\n');
      expect({ exit: await shell.exited, status: lines.at(-1) }).toEqual({ exit: 0, status: '200' });
      expect(JSON.parse(lines[0] ?? '').workflow).toBe(workflow);
    }
  });
});

describe('the graph', () => {
  const PATH = '/api/v1/workflows/classification-agent/graph';

  test.each(['', '?format=json', '?xray=true'])(
    'is JSON with nodes, agents and conditional edges: %p',
    async (query) => {
      const { status, body } = await get(`${PATH}${query}`);
      expect({ status, fields: Object.keys(body) }).toEqual({ status: 200, fields: ['nodes', 'edges'] });
      expect(body.nodes).toEqual([
        { id: '__start__', label: 'start', kind: 'start' },
        ...AGENTS.map((agent) => ({ id: agent, label: agent, kind: 'agent', agent })),
        { id: '__end__', label: 'end', kind: 'end' },
      ]);
      for (const responder of AGENTS.slice(1)) {
        expect(body.edges).toContainEqual({ source: AGENTS[0], target: responder, conditional: true });
        expect(body.edges).toContainEqual({ source: responder, target: '__end__', conditional: false });
      }
      expect(body.edges).toHaveLength(11);
    },
  );

  test('is a Mermaid text that names every agent', async () => {
    const response = await service.fetch(`${PATH}?format=mermaid`);
    const text = await response.text();
    expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/vnd.mermaid; charset=utf-8',
    });
    expect(text).toContain('graph TD');
    for (const agent of AGENTS) expect(text).toContain(agent);
  });

  test('is a picture in well-formed SVG that names every agent and loads nothing', async () => {
    const response = await service.fetch(`${PATH}?format=svg`);
    const svg = await response.text();
    expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'image/svg+xml; charset=utf-8',
    });
    expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"');
    expect(xmlProblem(svg)).toBeUndefined();
    for (const agent of AGENTS) expect(svg).toContain(`>${agent}</text>`);
    expect(svg).not.toMatch(/<script|href=|NaN|undefined/);
  });

  test.each(['format=png', 'format=', 'format=SVG', 'xray=1', 'xray=', 'format=canary&xray=true'])(
    '%p is refused',
    async (query) => {
      const { detail } = expectRefused(await get(`${PATH}?${query}`), 400, 'INVALID_REQUEST');
      expect(detail).toStartWith(`${query.split('=')[0]}: expected one of `);
      expect(detail).not.toContain('canary');
    },
  );

  test('of a workflow that does not exist is not found', async () => {
    expectRefused(await get('/api/v1/workflows/nope/graph'), 404, 'WORKFLOW_NOT_FOUND');
    expectRefused(await get('/api/v1/workflows/nope/graph?format=svg'), 404, 'WORKFLOW_NOT_FOUND');
  });
});

describe('the status', () => {
  let fresh: TestService;

  beforeAll(async () => {
    fresh = await testService({ env: providerEnv(provider.url) });
  });

  afterAll(() => fresh.close());

  const status = (name = 'classification-agent') => answerOf(fresh.fetch(`/api/v1/workflow-status/${name}`));

  async function runs(count: number, script = echoing()) {
    provider.script = script;
    for (let run = 0; run < count; run++) await fresh.chat({ user_prompt: 'hi' });
    provider.script = echoing();
  }

  test('of a workflow that never ran is its entry, ready, without figures', async () => {
    expect((await status()).body).toEqual({
      ...ENTRY,
      status: 'ready',
      last_run_at: null,
      runs: { succeeded: 0, failed: 0 },
      latency_ms: { p50: null, p95: null },
    });
  });

  test('is found by every name of the workflow', async () => {
    for (const name of ['classification_agent', 'CLASSIFICATION-AGENT']) {
      expect((await status(name)).body.workflow).toBe('classification-agent');
    }
    expectRefused(await status('nope'), 404, 'WORKFLOW_NOT_FOUND');
  });

  test('counts runs, says when the last was and how long they took', async () => {
    const before = Date.now();
    await runs(3);
    const { body } = await status();
    expect(body).toMatchObject({ status: 'ready', runs: { succeeded: 3, failed: 0 } });
    expect(Date.parse(body.last_run_at)).toBeGreaterThanOrEqual(before);
    expect(body.last_run_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { p50, p95 } = body.latency_ms;
    expect(p50).toBeGreaterThanOrEqual(0);
    expect(p95).toBeGreaterThanOrEqual(p50);
  });

  test('is failing after three failures in a row, and ready again after a success', async () => {
    const broken = () => failure(400);
    await runs(2, broken);
    expect((await status()).body).toMatchObject({ status: 'ready', runs: { succeeded: 3, failed: 2 } });
    await runs(1, broken);
    expect((await status()).body).toMatchObject({ status: 'failing', runs: { succeeded: 3, failed: 3 } });
    await runs(1);
    expect((await status()).body).toMatchObject({ status: 'ready', runs: { succeeded: 4, failed: 3 } });
  });

  test('does not count what was refused', async () => {
    const { body } = await status();
    await fresh.chat({ user_prompt: '' });
    await fresh.chat({ user_prompt: 'hi', conversation_flow: 'nope' });
    expect((await status()).body).toEqual(body);
  });
});
