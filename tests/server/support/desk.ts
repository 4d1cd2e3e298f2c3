/** A graph that wasn't written for Skein: it answers with a model and asks a person about orders, in a subgraph. */
import { afterAll, beforeAll } from 'bun:test';
import { type ServedProject, serveProject } from '../../graphs/adopted/project.ts';
import type { TestOptions } from '../../support/service.ts';

const DESK = `
import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const model = new ChatOpenAI({ model: 'test-model', maxRetries: 0 });
const State = Annotation.Root({ ...MessagesAnnotation.spec, note: Annotation() });
const ask = () => ({ messages: [new AIMessage('Shipped: ' + interrupt({ question: 'Ship it?' }))] });
const review = new StateGraph(State).addNode('ask', ask).addEdge(START, 'ask').addEdge('ask', END).compile();
export default new StateGraph(State)
  .addNode('greet', async ({ messages }, { writer }) => {
    writer?.({ greets: true });
    return { messages: [await model.invoke([{ role: 'system', content: 'You are greet' }, ...messages])] };
  })
  .addNode('review', review)
  .addEdge(START, 'greet')
  .addConditionalEdges('greet', ({ messages }) => (messages.at(-2)?.text.includes('order') ? 'review' : END))
  .addEdge('review', END)
  .compile();`;

/** Starts the service for the tests of a file. Its model answers `greet heard` and the question. */
export function servedDesk(options: Pick<TestOptions, 'config'> = {}): () => ServedProject {
  let project: ServedProject;
  beforeAll(async () => {
    project = await serveProject({ desk: DESK }, options);
  });
  afterAll(() => project.close());
  return () => project;
}
