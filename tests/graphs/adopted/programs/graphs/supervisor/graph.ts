/** A supervisor sends work to agents, which hand over to each other and back with commands. */
import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  getCurrentTaskInput,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const handoffTo = (agent: string) =>
  tool(
    (_input, config) => {
      const { messages } = getCurrentTaskInput() as typeof MessagesAnnotation.State;
      const moved = new ToolMessage({
        content: `Transferred to ${agent}`,
        name: `transfer_to_${agent}`,
        tool_call_id: config.toolCall.id,
      });
      return new Command({
        goto: agent,
        graph: Command.PARENT,
        update: { messages: [...messages, moved] },
      });
    },
    { name: `transfer_to_${agent}`, description: `Transfers to ${agent}.`, schema: z.object({}) },
  );

const add = tool(({ a, b }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers.',
  schema: z.object({ a: z.number(), b: z.number() }),
});

const Decision = z.object({ next: z.enum(['math', 'writer', '__end__']) });

async function supervisor({ messages }: typeof MessagesAnnotation.State) {
  const { next } = await model
    .withStructuredOutput(Decision, { name: 'decision' })
    .invoke([{ role: 'system', content: 'You are supervisor.' }, ...messages]);
  return new Command({ goto: next });
}

const math = createReactAgent({
  llm: model,
  tools: [add, handoffTo('writer')],
  prompt: 'You are math.',
  name: 'math',
});
const writer = createReactAgent({
  llm: model,
  tools: [handoffTo('math')],
  prompt: 'You are writer.',
  name: 'writer',
});

export default new StateGraph(MessagesAnnotation)
  .addNode('supervisor', supervisor, { ends: ['math', 'writer', END] })
  .addNode('math', math, { ends: ['writer'] })
  .addNode('writer', writer, { ends: ['math'] })
  .addEdge(START, 'supervisor')
  .addEdge('writer', 'supervisor')
  .compile();
