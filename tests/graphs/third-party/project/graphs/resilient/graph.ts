/** An agent of `langchain` that falls back to another model and retries a tool; it keeps a to-do list. */
import { ChatOpenAI } from '@langchain/openai';
import {
  createAgent,
  modelFallbackMiddleware,
  todoListMiddleware,
  tool,
  toolRetryMiddleware,
} from 'langchain';
import { z } from 'zod';
import { model } from '../../model.ts';

let calls = 0;
const stock = tool(
  ({ item }: { item: string }) => {
    if (calls++ === 0) throw new Error('the stock is being counted');
    return `12 of ${item}`;
  },
  { name: 'stock', description: 'How many there are', schema: z.object({ item: z.string() }) },
);

export default createAgent({
  model,
  tools: [stock],
  middleware: [
    todoListMiddleware(),
    toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 1 }),
    modelFallbackMiddleware(new ChatOpenAI({ model: 'backup', maxRetries: 0 })),
  ],
});
