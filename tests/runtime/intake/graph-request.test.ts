/** The parts of a request that concern the graph. */
import { expect, test } from 'bun:test';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { checkedGraphRequest, ownConfigurable, ownUpdate } from '../../../runtime/intake/graph-request.ts';
import type { RunnableWorkflow } from '../../../runtime/workflows/registered.ts';

const State = Annotation.Root({ topic: Annotation<string>, messages: Annotation<unknown[]> });
const graph = new StateGraph(State)
  .addNode('write', () => ({}))
  .addEdge(START, 'write')
  .addEdge('write', END)
  .compile();
const workflow = (adopted?: object) => ({ name: 'w', graph, adopted }) as unknown as RunnableWorkflow;
const LIMITS = { recursion: 25, recursion_max: 100 };
const check = (request: Parameters<typeof checkedGraphRequest>[0], target = workflow()) =>
  checkedGraphRequest(request, target, LIMITS);

test('a request without a prompt or an input is rejected, and so is an input for a workflow that takes a prompt', async () => {
  await expect(check({})).rejects.toMatchObject({ detail: 'user_prompt: required unless input is set' });
  await expect(check({ input: {} })).rejects.toMatchObject({
    detail: "input: 'w' only accepts a user_prompt",
  });
});

test('a conversation becomes the input of a graph with messages; for other graphs, its question is the prompt', async () => {
  const conversation = [{ role: 'user' as const, content: 'Hello' }];
  const prompt = 'Hello';
  expect(await check({ prompt, conversation })).toEqual({
    userPrompt: prompt,
    conversation,
    recursionLimit: 25,
  });
  const withField = (field: string) => workflow({ textInput: { field } });
  expect(await check({ prompt, conversation }, withField('topic'))).not.toContainKey('conversation');
  const { input } = await check({ prompt, conversation }, withField('messages'));
  expect(input).toEqual({ messages: conversation });
  const image = [{ role: 'user' as const, content: [{ type: 'image_url' }] }];
  await expect(check({ prompt, conversation: image as never }, withField('topic'))).rejects.toMatchObject({
    code: 'INVALID_WORKFLOW_INPUT',
    detail: "messages: 'w' only accepts text",
  });
});

test('the error names an unknown node only if its name is short and plain, and limits are enforced', async () => {
  const checkInterruptBefore = (interruptBefore: string[]) => check({ prompt: 'x', interruptBefore });
  await expect(checkInterruptBefore(['writes'])).rejects.toMatchObject({
    detail: "interrupt_before: 'w' has no node 'writes'; its nodes are write",
  });
  await expect(checkInterruptBefore(['<b>'])).rejects.toMatchObject({
    detail: "interrupt_before: 'w' has no node of that name; its nodes are write",
  });
  expect((await checkInterruptBefore(['write'])).interruptBefore).toEqual(['write']);
  await expect(check({ prompt: 'x', recursionLimit: 101 })).rejects.toMatchObject({
    detail: 'recursion_limit: at most 100',
  });
});

test('reserved keys and channels that the graph does not have are dropped', () => {
  expect(ownConfigurable()).toBeUndefined();
  expect(ownConfigurable({ thread_id: 't', __pregel_x: 1, checkpoint_id: 'c' })).toBeUndefined();
  expect(ownConfigurable({ user: 'ann', run_id: 'r' })).toEqual({ user: 'ann' });
  expect(ownUpdate(undefined, workflow())).toBeUndefined();
  expect(ownUpdate({ other: 1 }, workflow())).toBeUndefined();
  expect(ownUpdate({ topic: 'x', other: 1 }, workflow())).toEqual({ topic: 'x' });
});
