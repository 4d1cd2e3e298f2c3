/** An agent of `langchain` with the service's model: it has two tools, one of which asks a person, and a structured response. */

import { interrupt } from '@langchain/langgraph';
import { createAgent, modelCallLimitMiddleware, providerStrategy, tool, toolStrategy } from 'langchain';
import { chatModel } from 'skein';
import { z } from 'zod';

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});

const ask = tool(({ what }: { what: string }) => `${what}: ${interrupt({ what })}`, {
  name: 'ask',
  description: 'Asks a person',
  schema: z.object({ what: z.string() }),
});

const Sum = z.object({ sum: z.number() });

/** `configurable.strategy` selects how the response is structured; without it, the response is text. */
export default ({ configurable }: { configurable?: { strategy?: 'provider' | 'tool' } }) => {
  const parts = {
    model: chatModel({ temperature: 0 }),
    tools: [add, ask],
    systemPrompt: 'You calculate.',
    middleware: [modelCallLimitMiddleware({ runLimit: 5 })],
  };
  if (configurable?.strategy === 'tool') return createAgent({ ...parts, responseFormat: toolStrategy(Sum) });
  if (configurable?.strategy === 'provider')
    return createAgent({ ...parts, responseFormat: providerStrategy(Sum) });
  return createAgent(parts);
};
