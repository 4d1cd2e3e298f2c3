/** message-state: a graph as most people write it, with nothing of Skein's: ChatOpenAI in the node, messages that only grow. */
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const baseURL = process.env.LLM_PROVIDER_BASE_URL;
const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL } });

export default new StateGraph(MessagesAnnotation)
  .addNode('answerer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answerer')
  .compile();
