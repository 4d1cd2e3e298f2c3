/** A deferred node that waits for branches of different lengths, and a node with a cache. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { InMemoryCache } from '@langchain/langgraph-checkpoint';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const State = Annotation.Root({
  question: Annotation<string>,
  facts: Annotation<string>,
  parts: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  whole: Annotation<string>,
});

const answerOf = async (name: string, content: string) =>
  (
    await model.invoke([
      { role: 'system', content: `You are ${name}.` },
      { role: 'user', content },
    ])
  ).text;

export default new StateGraph(State)
  .addNode('lookUp', async ({ question }) => ({ facts: await answerOf('lookUp', question) }), {
    cachePolicy: { ttl: 600 },
  })
  .addNode('short', ({ facts }) => ({ parts: [`short ${facts.length}`] }))
  .addNode('long', ({ facts }) => ({ parts: [`long ${facts.length}`] }))
  .addNode('longer', async ({ facts }) => ({ parts: [await answerOf('longer', facts)] }))
  .addNode('gather', async ({ parts }) => ({ whole: await answerOf('gather', parts.join(' | ')) }), {
    defer: true,
  })
  .addEdge(START, 'lookUp')
  .addEdge('lookUp', 'short')
  .addEdge('lookUp', 'long')
  .addEdge('long', 'longer')
  .addEdge('short', 'gather')
  .addEdge('longer', 'gather')
  .addEdge('gather', END)
  .compile({ cache: new InMemoryCache() });
