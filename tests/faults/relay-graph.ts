/** A third-party graph: three nodes that call a model, the last one in a subgraph. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ChatRequest, completion, type Script } from '../support/provider.ts';

/** The nodes that call the model, in order. */
export const RELAY = ['one', 'two', 'three'];

const GRAPH = `
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const model = new ChatOpenAI({ model: 'test-model', maxRetries: 0 });
const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  done: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const speaker = (name) => async ({ messages }, { writer }) => {
  writer?.({ begins: name });
  const answer = await model.invoke([{ role: 'system', content: 'You are ' + name }, ...messages]);
  return { messages: [answer], done: [name] };
};
const inner = new StateGraph(State).addNode('three', speaker('three')).addEdge(START, 'three').addEdge('three', END).compile();
export default new StateGraph(State)
  .addNode('one', speaker('one'))
  .addNode('two', speaker('two'))
  .addNode('last', async (state, config) => {
    const { messages, done } = await inner.invoke({ messages: state.messages }, config);
    return { messages, done };
  })
  .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', 'last').addEdge('last', END)
  .compile();`;

const PACKAGES = join(import.meta.dir, '../../node_modules');

export async function writeRelay(folder: string): Promise<void> {
  await Bun.write(join(folder, 'graphs', 'relay', 'graph.ts'), GRAPH);
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
}

/** The node that makes a call, and the last question in it. */
export function nodeOf({ messages }: ChatRequest): string {
  return /^You are (\w+)/.exec(messages[0]?.content ?? '')?.[1] ?? '';
}

function questionOf({ messages }: ChatRequest): string {
  return messages.findLast(({ role }) => role === 'user')?.content.split(' ')[0] ?? '';
}

/** Streams word by word, so each is stored separately. The second node's call gets no answer for `hold`, and an error for `fail`. */
export const relaying: Script = async (request) => {
  const node = nodeOf(request);
  const question = questionOf(request);
  if (question === 'hold' && node === 'two') return new Promise<Response>(() => {});
  if (question === 'fail' && node === 'two') return Response.json({}, { status: 400 });
  const complete = completion(`${node} heard ${question}`, request);
  const lines = (await complete.text()).split('\n\n').filter((line) => line !== '');
  const body = new ReadableStream({
    async pull(stream) {
      const line = lines.shift();
      if (line === undefined) return stream.close();
      await Bun.sleep(3);
      stream.enqueue(new TextEncoder().encode(`${line}\n\n`));
    },
  });
  return new Response(body, { headers: complete.headers });
};
