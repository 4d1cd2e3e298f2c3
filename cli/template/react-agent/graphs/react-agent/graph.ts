/** An agent that calls tools until it can answer. */
import { SystemMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { model } from './model.ts';
import { tools } from './tools.ts';

const SYSTEM = `You advise the customers of a bike shop. Take numbers from the tools, never from memory.
Answer in at most three sentences.`;

async function agent({ messages }: typeof MessagesAnnotation.State) {
  const answer = await model.bindTools(tools).invoke([new SystemMessage(SYSTEM), ...messages]);
  return { messages: [answer] };
}

export default new StateGraph(MessagesAnnotation)
  .addNode('agent', agent)
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', toolsCondition, ['tools', END])
  .addEdge('tools', 'agent')
  .compile();
