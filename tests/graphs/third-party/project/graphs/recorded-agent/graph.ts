/** An agent of `langchain` with its own callbacks. */
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { model } from '../../model.ts';
import { Recorder } from '../../recorder.ts';

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});

export const recorder = new Recorder();

export default createAgent({ model, tools: [add] }).withConfig({ callbacks: [recorder], tags: ['own-tag'] });
