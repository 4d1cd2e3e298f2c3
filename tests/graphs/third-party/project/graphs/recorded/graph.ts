/** LangGraph's agent with its own callbacks, tags and name. */
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { model } from '../../model.ts';
import { Recorder } from '../../recorder.ts';

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});

export const recorder = new Recorder();

export default createReactAgent({ llm: model, tools: [add] }).withConfig({
  callbacks: [recorder],
  tags: ['own-tag'],
  runName: 'calculator',
});
