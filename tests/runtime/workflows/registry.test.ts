/** Project workflows: discovery beside the core workflows, errors of broken ones, and their settings. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discoverWorkflows } from '../../../runtime/workflows/discovery.ts';
import { testService } from '../../support/service.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-project-'));
afterAll(() => rmSync(root, { recursive: true }));

const SKEIN = join(import.meta.dir, '../../../graphs/skein.ts');
let folders = 0;

/** A project whose `graphs/` has these workflows; each text follows the imports. */
async function project(workflows: Record<string, string>, config = '') {
  const folder = join(root, String(folders++));
  for (const [name, text] of Object.entries(workflows)) {
    const imports = `import { Annotation, Conversation, END, interrupt, START, StateGraph, Type, workflow } from ${JSON.stringify(SKEIN)};`;
    await Bun.write(join(folder, 'graphs', name, 'graph.ts'), `${imports}\n${text}`);
  }
  return testService({ folder, config });
}

const echo = (
  extra = '',
  work = "async (state) => ({ content: 'You said: ' + state.messages.at(-1).text })",
) => `
export default workflow({
  description: 'Says it again.', example: 'Hello', agents: () => [{ name: 'echo', description: 'Echoes' }], ${extra}
  build: ({ agent, options }) => new StateGraph(Conversation).addNode('echo', agent('echo', ${work}))
    .addEdge(START, 'echo').addEdge('echo', END),
});`;

test("a project's workflow is listed beside the core's and answers", async () => {
  const service = await project({ 'echo-agent': echo() });
  const { body } = await service.chat({ conversation_flow: 'echo_agent', user_prompt: 'hello' });
  expect(body.agent_response).toBe('You said: hello');
  const { workflows } = (await (await service.fetch('/api/v1/workflows')).json()) as { workflows: object[] };
  expect(workflows).toMatchObject([
    { workflow: 'classification-agent', source: 'core' },
    { workflow: 'knowledge-base-agent', source: 'core' },
    { workflow: 'sql-manipulation-agent', source: 'core' },
    { workflow: 'echo-agent', source: 'project', alias: 'echo_agent', ready: true },
  ]);
  await service.close();
});

test('a broken workflow is reported with its file and the reason, and the others run', async () => {
  const service = await project({
    'syntax-error': 'export default workflow({',
    'no-export': 'export const nothing = 1;',
    throws: echo().replace(
      'new StateGraph',
      '(() => { throw new Error("no such tool") })() || new StateGraph',
    ),
    'own-state': echo().replace('Conversation)', 'Annotation.Root({ words: Annotation() }))'),
    'delta-summary': `import { DeltaChannel } from ${JSON.stringify(SKEIN)};${echo().replace(
      'Conversation)',
      'Annotation.Root({ ...Conversation.spec, summary: () => new DeltaChannel(() => "") }))',
    )}`,
    'throws-nothing': 'throw null;',
    'no-node': echo().replace("[{ name: 'echo'", "[{ name: 'other'"),
    'no-core': echo().replace(
      '({ agent, options }) =>',
      "({ agent, options, coreWorkflow }) => coreWorkflow('none') &&",
    ),
    'no-agents': echo().replace('() => [', '() => missing ?? ['),
    'Bad Name': echo(),
    Twice: echo(),
    twice: echo(),
    good: echo(),
  });
  const problems = service.service.warnings.map((warning) =>
    warning.replace('A workflow cannot be loaded: ', ''),
  );
  expect(problems).toEqual([
    "graphs/Bad Name/graph.ts: a workflow's name must have 1 to 64 letters, digits, hyphens or underscores, and must not begin with a hyphen",
    "graphs/Twice/graph.ts: 'Twice' has the same name as 'twice' in graphs/twice/graph.ts; rename one of them",
    "graphs/delta-summary/graph.ts: the channel 'summary' is the conversation's and cannot be a DeltaChannel",
    'graphs/no-agents/graph.ts: missing is not defined',
    "graphs/no-core/graph.ts: the core has no workflow 'none'; it has classification-agent, knowledge-base-agent, sql-manipulation-agent",
    'graphs/no-export/graph.ts: expected a LangGraph graph or workflow({...}), got nothing',
    "graphs/no-node/graph.ts: its graph has no node for the agent 'other'",
    'graphs/own-state/graph.ts: its state lacks messages, summary, outputs: add ...Conversation.spec',
    expect.stringMatching(
      /^graphs\/syntax-error\/graph\.ts: Expected .* \(graphs\/syntax-error\/graph\.ts:\d+:\d+\)$/,
    ),
    'graphs/throws/graph.ts: no such tool',
    'graphs/throws-nothing/graph.ts: null',
    "graphs/twice/graph.ts: 'twice' has the same name as 'Twice' in graphs/Twice/graph.ts; rename one of them",
  ]);
  expect((await service.chat({ conversation_flow: 'good', user_prompt: 'hi' })).status).toBe(200);
  const broken = await service.chat({ conversation_flow: 'throws', user_prompt: 'hi' });
  expect([broken.status, broken.body.error_code]).toEqual([400, 'INVALID_WORKFLOW_TYPE']);
  expect(broken.body.detail).toStartWith("Class ConversationFlow not found: 'throws' cannot be loaded");
  await service.close();
});

test("a project's workflow with the name of a core workflow is ignored, with a reason", async () => {
  const service = await project({ 'classification-agent': echo() });
  const { body } = await service.chat({ user_prompt: 'hello' });
  expect(body.agent_response).not.toBe('You said: hello');
  expect(service.service.warnings.join('\n')).toContain('replaces_core');
  await service.close();
});

test("the core's own folder as the project adds no workflows", async () => {
  const { found, ignored } = await discoverWorkflows(join(import.meta.dir, '../../..'), {});
  expect(found.map(({ name, source }) => [name, source])).toEqual([
    ['classification-agent', 'core'],
    ['knowledge-base-agent', 'core'],
    ['sql-manipulation-agent', 'core'],
  ]);
  expect(ignored).toEqual([]);
});

test('a workflow has its own settings, which its schema validates', async () => {
  const greeting = echo(
    "options: Type.Object({ greeting: Type.String({ default: 'Hi' }) }),",
    "async () => ({ content: options.greeting + '!' })",
  );
  const configured = await project({ greeter: greeting }, 'workflows: {greeter: {greeting: Hello}}');
  expect(
    (await configured.chat({ conversation_flow: 'greeter', user_prompt: 'x' })).body.agent_response,
  ).toBe('Hello!');
  await configured.close();
  await expect(project({ greeter: greeting }, 'workflows: {greeter: {greting: Hello}}')).rejects.toThrow(
    "Validation error in field 'workflows.greeter.greting'",
  );
  await expect(project({ greeter: greeting }, 'workflows: {greter: {greeting: Hello}}')).rejects.toThrow(
    "Validation error in field 'workflows.greter': no such workflow, did you mean 'greeter'?",
  );
  await expect(project({ greeter: greeting }, 'workflows: {payments: {greeting: Hello}}')).rejects.toThrow(
    /no such workflow; there are: classification-agent, .*, greeter$/,
  );
});

test('a turn that waits for a person returns its interrupt, and blocks its thread until it is superseded', async () => {
  const asking = echo('', "async () => ({ content: String(interrupt({ question: 'Really?' })) })");
  const service = await project({ asking, good: echo() });
  const first = await service.chat({ conversation_flow: 'good', user_prompt: 'one', thread_id: 't' });
  expect(first.status).toBe(200);
  const interrupted = await service.chat({
    conversation_flow: 'asking',
    user_prompt: 'do it',
    thread_id: 't',
  });
  expect(interrupted.body).toMatchObject({
    event_type: 'interrupt',
    interrupt: { value: { question: 'Really?' } },
  });
  const rejected = await service.chat({ conversation_flow: 'good', user_prompt: 'two', thread_id: 't' });
  expect([rejected.status, rejected.body.error_code]).toEqual([409, 'THREAD_BUSY']);
  expect(rejected.body.detail).toContain('Really?');
  const superseding = {
    conversation_flow: 'good',
    user_prompt: 'three',
    thread_id: 't',
    multitask_strategy: 'supersede',
  };
  expect((await service.chat(superseding)).body.agent_response).toBe('You said: three');
  await service.close();
});

test('a workflow that never ends is stopped at the step limit', async () => {
  const service = await project({
    loop: echo().replace(".addEdge('echo', END)", ".addEdge('echo', 'echo')"),
  });
  const { status, body } = await service.chat({ conversation_flow: 'loop', user_prompt: 'x' });
  expect([status, body.error_code, body.message]).toEqual([
    500,
    'INTERNAL_ERROR',
    'The workflow did not end within 25 steps',
  ]);
  await service.close();
});
