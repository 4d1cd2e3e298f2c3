/** Prompt files are named after workflow, agent and step. Files with their names of earlier versions are still used. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRequest } from '../../support/provider.ts';
import { SAMPLE_DATABASE } from '../../support/service.ts';
import { callOf, echoing } from '../support/calls.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

setDefaultTimeout(60_000);

const CLERK = `
export default workflow({
  description: 'Writes.', agents: () => [{ name: 'clerk', description: 'Writes' }], example: 'Hello',
  build: ({ agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(AgentWork)
      .addNode('write', step('write', async (state, { answer, prompt }) =>
        ({ result: await answer(await prompt()) })))
      .addEdge(START, 'write').addEdge('write', END)))
    .addEdge(START, 'clerk').addEdge('clerk', END),
});`;

const provider = runningProvider();
const service = runningService(
  provider,
  'workflows: {sql-manipulation-agent: {prompt_revision: v1}}',
  { desk: CLERK },
  SAMPLE_DATABASE,
);

const WORKFLOW = 'sql-manipulation-agent';
const NOW = `${WORKFLOW}.sql_manipulation_agent.write_query.jinja`;
const BEFORE = `${WORKFLOW}.write_query.jinja`;

const folder = () => join(service.folder, '.files/prompts');
afterEach(() => rmSync(folder(), { recursive: true, force: true }));

function put(revision: string, file: string, text: string) {
  mkdirSync(join(folder(), revision), { recursive: true });
  writeFileSync(join(folder(), revision, file), text);
}

const post = (path: string, body: object) =>
  answerOf(
    service.fetch(`/api/v1/prompts/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
const list = async (path: string) => (await answerOf(service.fetch(path))).body;

/** The system prompt of the call that writes the query. */
async function used(): Promise<string> {
  provider.requests.length = 0;
  await service.chat({ user_prompt: 'How many stores?', conversation_flow: WORKFLOW });
  return provider.requests.find((request) => callOf(request) === 'sql')?.messages[0]?.content ?? '';
}

test("a file's name contains its agent, and the name of a step comes after it", async () => {
  const { workflows } = await list('/api/v1/workflows');
  const core = workflows.filter(({ source }: { source: string }) => source === 'core');
  const named = core.flatMap(({ workflow, agents }: { workflow: string; agents: { name: string }[] }) =>
    agents.map(({ name }) => `${workflow}.${name}`),
  );
  const files: string[] = await list('/api/v1/prompts/list/default');
  expect(core.flatMap((one: { prompt_files: string[] }) => one.prompt_files).toSorted()).toEqual(
    files.filter((file) => !file.startsWith('conversation.')),
  );
  const others = files.filter((file) => {
    const [, name, step] = /^([a-z-]+\.[a-z_]+)(\.[a-z_]+)?\.jinja$/.exec(file) ?? [];
    const steps = step !== undefined || !/knowledge|sql/.test(file);
    return !named.includes(name) || !steps;
  });
  expect(others).toEqual([
    'classification-agent.responder.jinja',
    'conversation.followup_questions.jinja',
    'conversation.summary.jinja',
  ]);
});

test('a file with an earlier name is used, unless the same revision has one with the new name', async () => {
  expect(await used()).toStartWith('You write one');
  put('default', BEFORE, 'default before');
  expect(await used()).toBe('default before');
  put('default', NOW, 'default now');
  expect(await used()).toBe('default now');
  put('v1', BEFORE, 'v1 before');
  expect(await used()).toBe('v1 before');
  put('v1', NOW, 'v1 now');
  expect(await used()).toBe('v1 now');
});

test('an update under the earlier name is used, checked like the shipped file, and recorded by its name', async () => {
  expect((await post(`update/v1/${BEFORE}`, { content: 'MINE {{ dialect }}' })).status).toBe(200);
  expect(await used()).toBe('MINE duckdb');
  const refused = await post(`update/v1/${BEFORE}`, { content: '{{ shema }}' });
  expect(expectRefused(refused, 400, 'PROMPT_INVALID').detail).toContain("the variable 'shema' is undefined");
  const { runs } = await list('/api/v1/runs?limit=1');
  const { agents } = await list(`/api/v1/runs/${runs[0].run_id}`);
  expect(agents[0].prompts).toContainEqual(
    expect.objectContaining({ filename: BEFORE, revision_id: 'v1', version: 1 }),
  );
});

test('a dry run under the earlier name uses the text where the file is used', async () => {
  put('v1', BEFORE, 'OLD');
  const telling = (request: ChatRequest) => ({
    sql: '',
    explanation: `wrote under ${request.messages[0]?.content}`,
    tables: [],
  });
  provider.script = echoing({ sql: telling });
  await used();
  const tried = async () => {
    const { body } = await post(`dry-run/v1/${BEFORE}`, { content: 'NEW', turns: 1 });
    return body.workflow_turns[0].after;
  };
  expect(await tried()).toBe('wrote under NEW');
  put('default', NOW, 'DEFAULT');
  expect(await tried()).toBe('wrote under NEW');
  put('v1', NOW, 'NOW');
  expect(await tried()).toBe('wrote under NOW');
});

test('a project can bring the files of its steps under either name', async () => {
  const ask = async () => {
    await service.chat({ user_prompt: 'Hi', conversation_flow: 'desk' });
    return provider.requests.at(-1)?.messages[0]?.content;
  };
  put('default', 'desk.write.jinja', 'before');
  expect(await ask()).toBe('before');
  put('default', 'desk.clerk.write.jinja', 'now');
  expect(await ask()).toBe('now');
});
