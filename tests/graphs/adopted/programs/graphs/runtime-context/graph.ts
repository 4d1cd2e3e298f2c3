/** Its answer depends on its runtime context, whose schema has a default. */
import { END, MessagesAnnotation, type Runtime, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const ContextSchema = z.object({
  language: z.string(),
  tone: z.enum(['dry', 'warm']).default('dry'),
});

export default new StateGraph(MessagesAnnotation, ContextSchema)
  .addNode('speak', async ({ messages }, { context }: Runtime<Partial<z.infer<typeof ContextSchema>>>) => {
    const model = new ChatOpenAI({ model: context?.tone === 'warm' ? 'gpt-4o' : 'gpt-4o-mini' });
    const content = `in ${context?.language ?? 'English'}, ${context?.tone ?? 'toneless'}`;
    const answer = await model.invoke([
      { role: 'system', content: 'You are speak.' },
      ...messages,
      { role: 'user', content },
    ]);
    return { messages: [answer] };
  })
  .addEdge(START, 'speak')
  .addEdge('speak', END)
  .compile();
