/** A typical graph of a user: the model, and LangGraph's ToolNode with the tools for the database and the documents. */
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import {
  Conversation,
  chatModel,
  knowledgeTool,
  START,
  StateGraph,
  sqlTool,
  workflow,
} from '../../../graphs/skein.ts';

const tools = [sqlTool(), sqlTool({ name: 'select', maxRows: 2 }), knowledgeTool()];
const model = chatModel().bindTools(tools);

export default workflow({
  description: 'Answers from the database and the documents.',
  agents: () => [],
  example: 'Query the database: how many products are there?',
  build: () =>
    new StateGraph(Conversation)
      .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'model')
      .addConditionalEdges('model', toolsCondition)
      .addEdge('tools', 'model'),
});
