/** The list of workflows, and the graph of one. */
import { describe, expect, test } from 'bun:test';
import { SAMPLE_DATABASE } from '../../support/service.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { xmlProblem } from '../support/well-formed.ts';
import { AGENTS, ENTRY, TEXT } from '../support/workflow-entry.ts';

const provider = runningProvider();
const service = runningService(provider, '', {}, SAMPLE_DATABASE);

const get = (path: string) => answerOf(service.fetch(path));

describe('the list', () => {
  test('has an entry per workflow, their names by category, and the number of configured ones', async () => {
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

  // A machine without curl skips it, and the runner says so.
  test.skipIf(Bun.which('curl') === null)(
    'has a shell command for every workflow, which gets an answer',
    async () => {
      const { body } = await get('/api/v1/workflows');
      for (const { test_command, workflow } of body.workflows) {
        const shell = Bun.spawn(['sh', '-c', `${test_command} --silent --write-out '\\n%{http_code}'`]);
        const lines = (await new Response(shell.stdout).text()).split('\n');
        expect({ exit: await shell.exited, status: lines.at(-1) }).toEqual({ exit: 0, status: '200' });
        expect(JSON.parse(lines[0] ?? '').workflow).toBe(workflow);
      }
    },
  );
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

  test('is a well-formed SVG that names every agent and loads nothing', async () => {
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

  test('an expanded picture has a frame with its name around the steps of an agent', async () => {
    const path = '/api/v1/workflows/sql-manipulation-agent/graph?format=svg&xray=true';
    const svg = await (await service.fetch(path)).text();
    expect(xmlProblem(svg)).toBeUndefined();
    expect(svg.match(/<g class="frame">/g)).toHaveLength(1);
    for (const name of ['sql_manipulation_agent', 'write_query', 'check_query'])
      expect(svg).toContain(`>${name}</text>`);
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  test.each(['format=png', 'format=', 'format=SVG', 'xray=1', 'xray=', 'format=canary&xray=true'])(
    '%p is rejected',
    async (query) => {
      const { detail } = expectRefused(await get(`${PATH}?${query}`), 400, 'INVALID_REQUEST');
      expect(detail).toStartWith(`${query.split('=')[0]}: expected one of `);
      expect(detail).not.toContain('canary');
    },
  );

  test('of an unknown workflow is not found', async () => {
    expectRefused(await get('/api/v1/workflows/nope/graph'), 404, 'WORKFLOW_NOT_FOUND');
    expectRefused(await get('/api/v1/workflows/nope/graph?format=svg'), 404, 'WORKFLOW_NOT_FOUND');
  });
});
