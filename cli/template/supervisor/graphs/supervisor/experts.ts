/** The experts: each is an agent with its own tools, which sees its task but not the conversation. */
import { HumanMessage, SystemMessage, type ToolCall, ToolMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { model } from './model.ts';
import { getDelivery, getStock } from './tools.ts';

export interface Expert {
  name: string;
  description: string;
  tools: StructuredToolInterface[];
}

export const stock: Expert = {
  name: 'stock',
  description: 'Knows which products are in stock and what they cost',
  tools: [getStock],
};

export const delivery: Expert = {
  name: 'delivery',
  description: 'Knows how long a delivery takes',
  tools: [getDelivery],
};

/** The state of an expert: the supervisor's call. */
export const Task = Annotation.Root({ call: Annotation<ToolCall> });

/** The text of the expert's last message is the result of the call. */
export function expertNode(expert: Expert) {
  const agent = agentOf(expert);
  return async ({ call }: typeof Task.State, config: RunnableConfig) => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage(call.args.task)] }, config);
    const content = messages.at(-1)?.text ?? '';
    return { messages: [new ToolMessage({ content, tool_call_id: call.id ?? '', name: call.name })] };
  };
}

function agentOf({ name, description, tools }: Expert) {
  // The name distinguishes the experts in streams.
  const node = `${name}_agent`;
  const system = new SystemMessage(`You are an expert. ${description}. Take facts from your tools alone.`);
  return new StateGraph(MessagesAnnotation)
    .addNode(node, async ({ messages }) => ({
      messages: [await model.bindTools(tools).invoke([system, ...messages])],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, node)
    .addConditionalEdges(node, toolsCondition, ['tools', END])
    .addEdge('tools', node)
    .compile();
}
