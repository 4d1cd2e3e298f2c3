/** A supervisor that hands tasks to experts, which run in parallel, and answers from their results. */
import { type AIMessage, SystemMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { delivery, expertNode, stock, Task } from './experts.ts';
import { model } from './model.ts';

type State = typeof MessagesAnnotation.State;

const SYSTEM = `You lead the service desk of a bike shop. Hand each question to the expert for it, with all that the
expert has to know, and answer from what the experts say. Answer in at most three sentences.`;

const task = z.object({ task: z.string().describe('What the expert is to find out') });

/** The model sees each expert as a tool. */
const handoffs = [stock, delivery].map(({ name, description }) => ({ name, description, schema: task }));

async function supervisor({ messages }: State) {
  const answer = await model.bindTools(handoffs).invoke([new SystemMessage(SYSTEM), ...messages]);
  return { messages: [answer] };
}

function toExperts({ messages }: State) {
  const { tool_calls = [] } = messages.at(-1) as AIMessage;
  return tool_calls.length === 0 ? END : tool_calls.map((call) => new Send(call.name, { call }));
}

export default new StateGraph(MessagesAnnotation)
  .addNode('supervisor', supervisor)
  .addNode('stock', expertNode(stock), { input: Task })
  .addNode('delivery', expertNode(delivery), { input: Task })
  .addEdge(START, 'supervisor')
  .addConditionalEdges('supervisor', toExperts, ['stock', 'delivery', END])
  .addEdge('stock', 'supervisor')
  .addEdge('delivery', 'supervisor')
  .compile();
