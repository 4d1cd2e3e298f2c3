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
const checked = (asked: Parameters<typeof checkedGraphRequest>[0], one = workflow()) =>
  checkedGraphRequest(asked, one, LIMITS);

test('a request without a prompt and an input is rejected, and so is an input of a workflow that takes a prompt', async () => {
  await expect(checked({})).rejects.toMatchObject({ detail: 'user_prompt: required without input' });
  await expect(checked({ input: {} })).rejects.toMatchObject({
    detail: "input: 'w' takes a user_prompt alone",
  });
});

test('a conversation is the input of a graph with messages, and otherwise its question is the prompt', async () => {
  const conversation = [{ role: 'user' as const, content: 'Hello' }];
  const prompt = 'Hello';
  expect(await checked({ prompt, conversation })).toEqual({
    userPrompt: prompt,
    conversation,
    recursionLimit: 25,
  });
  const withField = (field: string) => workflow({ textInput: { field } });
  expect(await checked({ prompt, conversation }, withField('topic'))).not.toContainKey('conversation');
  const { input } = await checked({ prompt, conversation }, withField('messages'));
  expect(input).toEqual({ messages: conversation });
  const image = [{ role: 'user' as const, content: [{ type: 'image_url' }] }];
  await expect(checked({ prompt, conversation: image as never }, withField('topic'))).rejects.toMatchObject({
    code: 'INVALID_WORKFLOW_INPUT',
    detail: "messages: 'w' takes text alone",
  });
});

test('an unknown node is named only if it is short and plain, and limits are respected', async () => {
  const rejected = (interruptBefore: string[]) => checked({ prompt: 'x', interruptBefore });
  await expect(rejected(['writes'])).rejects.toMatchObject({
    detail: "interrupt_before: 'w' has no node 'writes'; its nodes are write",
  });
  await expect(rejected(['<b>'])).rejects.toMatchObject({
    detail: "interrupt_before: 'w' has no node of that name; its nodes are write",
  });
  expect((await rejected(['write'])).interruptBefore).toEqual(['write']);
  await expect(checked({ prompt: 'x', recursionLimit: 101 })).rejects.toMatchObject({
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
