/** A graph with everything that LangSmith traces: functions, an agent with a tool, and a custom runnable. */
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { traceable } from 'langsmith/traceable';
import { z } from 'zod';
import { model } from '../../model.ts';

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});

const read = traceable(async (text: string) => text.trim(), { name: 'read', run_type: 'retriever' });
const shout = RunnableLambda.from((text: string) => text.toUpperCase()).withConfig({ runName: 'shout' });

export default new StateGraph(MessagesAnnotation)
  .addNode('prepare', async ({ messages }, config) => {
    const text = await read(messages.at(-1)?.text ?? '');
    await shout.invoke(text, config);
    await shout.invoke(text);
    return {};
  })
  .addNode('calculator', createReactAgent({ llm: model, tools: [add] }))
  .addEdge(START, 'prepare')
  .addConditionalEdges('prepare', () => 'calculator', ['calculator'])
  .addEdge('calculator', END)
  .compile();
