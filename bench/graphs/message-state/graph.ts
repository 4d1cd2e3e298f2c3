/** message-state: a typical LangGraph graph that wasn't written for Skein. Its message list grows without limit. */
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const baseURL = process.env.LLM_PROVIDER_BASE_URL;
const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL } });

export default new StateGraph(MessagesAnnotation)
  .addNode('answerer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answerer')
  .compile();
