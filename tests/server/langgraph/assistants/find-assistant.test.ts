/** The assistant that a run names: by its ID or its graph's name, and only the caller's own. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discover } from '../../../../graphs/discovery/discover.ts';
import { createPrompts } from '../../../../prompts/prompts.ts';
import { readShippedPrompts } from '../../../../prompts/shipped-source.ts';
import { createRenderer } from '../../../../prompts/templates/renderer.ts';
import { createAssistants } from '../../../../runtime/assistants/assistants.ts';
import { registerWorkflows } from '../../../../runtime/workflows/registry.ts';
import type { WorkflowParts } from '../../../../runtime/workflows/workflow-tools.ts';
import { remember } from '../../../../server/authentication/identity.ts';
import { findAssistant } from '../../../../server/langgraph/assistants/find-assistant.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { writeGraphs } from '../../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-find-assistant-'));
const GRAPH = `
export default new StateGraph(Annotation.Root({ n: Annotation() }))
  .addNode('one', () => ({ n: 1 })).addEdge(START, 'one').compile();`;
await writeGraphs(folder, { Plain: GRAPH, broken: 'throw new Error("no key");' });

// Only graphs of workflow() accept anything else.
const parts = { settings: {}, prompts: createPrompts(await readShippedPrompts([]), createRenderer()) };
const registry = await registerWorkflows(
  await discover(join(folder, 'graphs'), 'project'),
  parts as unknown as WorkflowParts,
);
const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
const assistants = createAssistants({
  ...{ store: state.assistants, registry, startedAt: 1, deleteThreads: async () => {} },
  configs: { Plain: { configurable: { n: 1 }, tags: ['t'], context: { model: 'm' } } },
});
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const found = (id: string, owner = 'ann') => {
  const request = new Request('http://localhost/');
  remember(request, { owner, name: owner, expiresAt: null });
  return findAssistant({ registry, assistants }, request, id);
};

test('a graph has an assistant under its name and an id, with its config of LANGGRAPH_CONFIG', async () => {
  const own = await found('Plain');
  expect(own).toMatchObject({
    ...{ graphId: 'Plain', name: 'Plain', metadata: { created_by: 'system' }, workflow: { name: 'Plain' } },
    ...{ config: { configurable: { n: 1 }, tags: ['t'] }, context: { model: 'm' } },
  });
  expect(own.config).not.toHaveProperty('context');
  expect(own.workflow.graph.nodes).toHaveProperty('one');
  expect(await found(own.assistantId.toUpperCase())).toEqual(own);
});

test("a caller's own assistant is found by its ID, in its current version, and only by its caller", async () => {
  const content = { graph: 'Plain', description: null, config: {}, context: { n: 1 }, metadata: {} };
  const { assistantId } = await assistants.create('ann', { ...content, name: 'Mine' }, 'raise');
  await assistants.change('ann', assistantId, { context: { n: 2 } });
  expect(await found(assistantId)).toMatchObject({
    assistantId,
    name: 'Mine',
    graphId: 'Plain',
    context: { n: 2 },
  });
  expect(found(assistantId, 'bob')).rejects.toThrow(
    expect.objectContaining({
      ...{ code: 'WORKFLOW_NOT_FOUND', status: 404 },
      detail: `No assistant found for "${assistantId}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
    }),
  );
});

test('an assistant whose graph was removed is kept, and running it fails with the reason', async () => {
  const removed = { graph: 'gone', name: 'Old', description: null, config: {}, context: {}, metadata: {} };
  await state.assistants.create('ann', 'old', removed, 1);
  expect((await assistants.find('ann', 'old'))?.name).toBe('Old');
  expect(found('old')).rejects.toThrow(expect.objectContaining({ code: 'INVALID_WORKFLOW_TYPE' }));
});

test('an unknown assistant is not found, and a graph that cannot run gives the reason', async () => {
  const detail = async (id: string) => {
    const error = await found(id).catch((reason) => reason);
    return [error.status, error.detail];
  };
  const rest = 'Make sure the assistant ID is for a valid assistant or a valid graph ID.';
  expect(await detail('plain')).toEqual([404, `No assistant found for "plain". ${rest}`]);
  expect(await detail('<b>')).toEqual([404, `No assistant found for "?". ${rest}`]);
  expect(await detail('broken')).toEqual([400, expect.stringContaining("'broken' cannot be loaded")]);
});
