/** A supervisor of `@langchain/langgraph-supervisor` over two agents of LangGraph's own. */
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { createSupervisor } from '@langchain/langgraph-supervisor';
import { z } from 'zod';
import { model } from '../../model.ts';

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});
const look = tool(({ what }: { what: string }) => `${what}: 12 are there`, {
  name: 'look_up',
  description: 'Looks something up',
  schema: z.object({ what: z.string() }),
});

const mathematician = createReactAgent({
  llm: model,
  tools: [add],
  name: 'mathematician',
  prompt: 'You calculate.',
});
const researcher = createReactAgent({
  llm: model,
  tools: [look],
  name: 'researcher',
  prompt: 'You look things up.',
});

export default createSupervisor({
  agents: [mathematician, researcher],
  llm: model,
  prompt: 'You lead two people.',
});
