/** Core workflows as nodes of a project's workflow. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testService } from '../../support/service.ts';

// Databases are processes, which start slowly on a busy machine.
setDefaultTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'skein-core-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A greeting, then the answer of the core workflow. */
const greeting = (core: string) => `
export default workflow({
  description: 'Greets first.', example: 'Hello', agents: () => [{ name: 'greeter', description: 'Greets' }],
  build: ({ agent, coreWorkflow }) => {
    const inner = coreWorkflow(${core});
    return new StateGraph(Conversation)
      .addNode('greeter', agent('greeter', async () => ({ content: 'Good day.' })))
      .addNode(...inner)
      .addEdge(START, 'greeter').addEdge('greeter', inner[0]).addEdge(inner[0], END);
  },
});`;

type Service = Awaited<ReturnType<typeof testService>>;

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
async function read(service: Service, path: string): Promise<any> {
  return (await service.fetch(path)).json();
}

interface Listed {
  workflow: string;
  agents: { name: string }[];
}

async function listed(service: Service, name: string) {
  const { workflows } = await read(service, '/api/v1/workflows');
  return (workflows as Listed[]).find(({ workflow }) => workflow === name);
}

test('its agents answer in the turn, and are listed, drawn and remembered', async () => {
  const service = await testService({ graphs: { reception: greeting("'classification-agent'") } });
  const ask = (user_prompt: string) =>
    service.chat({ user_prompt, conversation_flow: 'reception', thread_id: 'one' });
  const { body } = await ask('My pedal broke.');
  const agents = ['greeter', 'classification_agent', 'support_responder'];
  expect(body.outputs.map(({ agent }: { agent: string }) => agent)).toEqual(agents);
  expect(body.outputs[1].data).toMatchObject({ category: 'support' });
  const again = await ask('And a wheel broke.');
  expect(again.body.outputs.map(({ agent }: { agent: string }) => agent)).toEqual(agents);
  const entry = await listed(service, 'reception');
  expect(entry?.agents.map(({ name }) => name).slice(0, 2)).toEqual(['greeter', 'classification_agent']);
  const graph = await read(service, '/api/v1/workflows/reception/graph?xray=true');
  expect(graph.nodes).toContainEqual({
    id: 'classification-agent:classification_agent',
    label: 'classification_agent',
    kind: 'agent',
    agent: 'classification_agent',
  });
  const { messages } = await read(service, '/api/v1/threads/one/messages');
  expect(messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  await service.close();
});

test('it uses the settings of its name, overridden by options', async () => {
  const config = `workflows:
  classification-agent: {categories: [{name: tea, description: about tea}, {name: other, description: the rest}]}`;
  const own = "{ categories: [{ name: 'only', description: 'all' }] }";
  const graphs = {
    plain: greeting("'classification-agent'"),
    own: greeting(`'classification-agent', ${own}`),
  };
  const service = await testService({ config, graphs });
  const names = async (name: string) => (await listed(service, name))?.agents.map((agent) => agent.name);
  expect(await names('plain')).toEqual([
    'greeter',
    'classification_agent',
    'tea_responder',
    'other_responder',
  ]);
  expect(await names('own')).toEqual(['greeter', 'classification_agent', 'only_responder']);
  await service.close();
});

test('a person is asked inside it, and it continues from there', async () => {
  const graphs = { analyst: greeting("'sql-manipulation-agent', { require_approval: true }") };
  const service = await testService({
    graphs,
    env: { SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' },
  });
  const { body } = await service.chat({
    user_prompt: 'How many stores are there?',
    conversation_flow: 'analyst',
    thread_id: 'two',
  });
  expect(body.interrupt.value.sql).toContain('SELECT');
  const response = await service.fetch('/api/v1/threads/two/resume', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: { approved: true } }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  const resumed: any = await response.json();
  expect(resumed.interrupt).toBeNull();
  expect(resumed.outputs.map(({ agent }: { agent: string }) => agent)).toEqual([
    'greeter',
    'sql_manipulation_agent',
  ]);
  expect(resumed.outputs[1].data.rows).toEqual([{ [resumed.outputs[1].data.columns[0].name]: 12 }]);
  await service.close();
});

test('a workflow that replaces a core workflow can contain it', async () => {
  const config = 'workflows: {classification-agent: {replaces_core: true}}';
  const graphs = { 'classification-agent': greeting("'classification-agent'") };
  const service = await testService({ config, graphs });
  const { body } = await service.chat({ user_prompt: 'My pedal broke.' });
  expect(body.agent_response).toContain('greeter: Good day.');
  expect(body.agent_response).toContain('support_responder: ');
  await service.close();
});

test('an unknown one breaks the workflow with the reason; missing settings are reported', async () => {
  const graphs = { wrong: greeting("'haiku-agent'"), lacking: greeting("'sql-manipulation-agent'") };
  const service = await testService({ graphs, config: 'cloud_sql: {database_name: sales}' });
  expect(service.service.warnings).toContainEqual(
    "A workflow cannot be loaded: graphs/wrong/graph.ts: the core has no workflow 'haiku-agent'; it has classification-agent, knowledge-base-agent, sql-manipulation-agent",
  );
  expect(await listed(service, 'lacking')).toMatchObject({
    ready: false,
    missing_config: [expect.stringContaining('cloud_sql')],
  });
  await service.close();
});
