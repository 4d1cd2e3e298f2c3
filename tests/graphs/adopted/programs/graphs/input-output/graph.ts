/** A graph with three schemas: its input, its output and its internal state. */
import { END, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const InputState = z.object({ topic: z.string().min(2), length: z.number().default(1) });
const OutputState = z.object({ joke: z.string(), rating: z.number() });
const OverallState = z.object({ ...InputState.shape, ...OutputState.shape, draft: z.string() });
const PrivateState = z.object({ draft: z.string(), hint: z.string() });

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const answerOf = async (name: string, content: string) =>
  (
    await model.invoke([
      { role: 'system', content: `You are ${name}.` },
      { role: 'user', content },
    ])
  ).text;

export default new StateGraph({ state: OverallState, input: InputState, output: OutputState })
  .addNode('invent', async ({ topic, length }) => ({
    draft: await answerOf('invent', topic.repeat(length)),
    hint: 'short',
  }))
  .addNode('polish', async ({ draft, hint }) => ({ joke: await answerOf('polish', `${draft} ${hint}`) }), {
    input: PrivateState,
  })
  .addNode('rate', ({ joke }) => ({ rating: joke.length }))
  .addEdge(START, 'invent')
  .addEdge('invent', 'polish')
  .addEdge('polish', 'rate')
  .addEdge('rate', END)
  .compile();
