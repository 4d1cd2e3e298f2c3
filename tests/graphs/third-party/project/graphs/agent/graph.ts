/** An agent of the package `langchain`: it asks before it sends a letter, summarizes long conversations, and counts its calls. */
import {
  createAgent,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  summarizationMiddleware,
  tool,
} from 'langchain';
import { z } from 'zod';
import { model } from '../../model.ts';

const sendLetter = tool(({ to, text }: { to: string; text: string }) => `Sent to ${to}: ${text}`, {
  name: 'send_letter',
  description: 'Sends a letter',
  schema: z.object({ to: z.string(), text: z.string() }),
});
const weather = tool(({ city }: { city: string }) => `Sunny in ${city}`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});

export default createAgent({
  model,
  tools: [sendLetter, weather],
  systemPrompt: 'You write letters.',
  middleware: [
    humanInTheLoopMiddleware({
      interruptOn: { send_letter: { allowedDecisions: ['approve', 'edit', 'reject'] } },
    }),
    summarizationMiddleware({ model, trigger: { messages: 8 }, keep: { messages: 2 } }),
    modelCallLimitMiddleware({ runLimit: 3, exitBehavior: 'end' }),
  ],
});
