/** A zod state with reducers: two parallel nodes add to the same list, and a third one reads it. */

import type { BaseMessage } from '@langchain/core/messages';
import { END, MessagesZodMeta, START, StateGraph } from '@langchain/langgraph';
import { registry, withLangGraph } from '@langchain/langgraph/zod';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const State = z.object({
  messages: withLangGraph(z.custom<BaseMessage[]>(), MessagesZodMeta),
  notes: z.array(z.string()).register(registry, {
    reducer: { fn: (left: string[], right: string[]) => left.concat(right) },
    default: () => [] as string[],
  }),
  best: withLangGraph(z.number(), {
    reducer: { fn: (left: number, right: number) => Math.max(left, right) },
    default: () => 0,
  }),
  seen: z.boolean().default(false),
});

type Notes = z.infer<typeof State>;

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const take =
  (name: string, best: number) =>
  async ({ messages }: Notes) => {
    const note = await model.invoke([{ role: 'system', content: `You are ${name}.` }, ...messages]);
    return { notes: [note.text], best };
  };

export default new StateGraph(State)
  .addNode('pros', take('pros', 3))
  .addNode('cons', take('cons', 2))
  .addNode('verdict', async ({ notes, messages }) => {
    const system = { role: 'system', content: `You are verdict.` };
    const answer = await model.invoke([system, ...messages, { role: 'user', content: notes.join(' | ') }]);
    return { messages: [answer], seen: true };
  })
  .addEdge(START, 'pros')
  .addEdge(START, 'cons')
  .addEdge(['pros', 'cons'], 'verdict')
  .addEdge('verdict', END)
  .compile();
