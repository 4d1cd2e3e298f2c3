/** Tool calls and reasoning of third-party graphs, as the AI SDK's own package reads them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedProject, serveProject } from '../../graphs/adopted/project.ts';
import { heldAnswer } from '../../studio/held-answer.ts';
import { chatWith, partsOf, textsOf } from './chats.ts';

const THINKER = `
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const model = new ChatOpenAI({ model: 'thinker' });
export default new StateGraph(MessagesAnnotation)
  .addNode('think', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'think').addEdge('think', END).compile();`;

const FAILING = `
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
const broken = tool(() => { throw new Error('no such city'); }, { name: 'broken', description: 'Fails.' });
export default new StateGraph(MessagesAnnotation)
  .addNode('try', async (_, config) => {
    await Promise.allSettled([broken.invoke('Rome', config), broken.invoke('Oslo', config)]);
    return { messages: [new AIMessage('Sorry')] };
  })
  .addEdge(START, 'try').addEdge('try', END).compile();`;

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject({ thinker: THINKER, failing: FAILING });
});
afterAll(() => project.close());

const chatOf = (workflow: string) => chatWith(`${project.service.url}/ai/${workflow}`);

test('tool calls that the graph has answered are parts before the text', async () => {
  const chat = chatOf('tools-agent');
  await chat.sendMessage({ text: 'How is the weather?' });
  expect(chat.error).toBeUndefined();
  expect(partsOf(chat)).toMatchObject([
    { type: 'step-start' },
    {
      ...{ type: 'dynamic-tool', toolName: 'get_weather', state: 'output-available' },
      ...{ input: { city: 'Rome' }, output: "It's always sunny in Rome!", providerExecuted: true },
    },
    { type: 'text', text: "So: It's always sunny in Rome!" },
  ]);
});

test('a failed tool has its error, and calls without an ID are distinguished', async () => {
  const chat = chatOf('failing');
  await chat.sendMessage({ text: 'go' });
  expect(partsOf(chat)).toMatchObject([
    { type: 'step-start' },
    { type: 'dynamic-tool', toolCallId: 'broken-1', state: 'output-error', errorText: 'no such city' },
    { type: 'dynamic-tool', toolCallId: 'broken-2', state: 'output-error', errorText: 'no such city' },
    { type: 'text', text: 'Sorry' },
  ]);
});

test('the thinking of a LangChain model is reasoning', async () => {
  const { say, end, reply } = heldAnswer();
  project.provider.script = () => reply;
  const chat = chatOf('thinker');
  const done = chat.sendMessage({ text: 'hi' });
  say({ reasoning_content: 'Well, ' });
  say({ reasoning_content: 'yes.' });
  say('Hello');
  end();
  await done;
  expect(partsOf(chat)).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'Well, yes.', state: 'done' },
    { type: 'text', text: 'Hello' },
  ]);
  expect(textsOf(chat)).toEqual(['hi', 'Hello']);
});
