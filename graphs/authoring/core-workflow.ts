/** Core workflows as nodes of other workflows: they receive the conversation and return their agents' responses. */
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { ConversationState } from '../../state/threads/conversation.ts';
import { reportingItself } from './run/own-nodes.ts';

interface Compiled {
  invoke(input: unknown, config: LangGraphRunnableConfig): Promise<unknown>;
}

type Node = (
  state: ConversationState,
  config: LangGraphRunnableConfig,
) => Promise<Partial<ConversationState>>;

/**
 * Returns the arguments of `addNode`: the workflow's name, the node, and the subgraph that drawings show inside it. It uses
 * the settings under `workflows.<name>`, overridden by `options`. Throws if the core has no workflow with that name.
 */
export type CoreWorkflow = (
  name: string,
  options?: Record<string, unknown>,
) => [name: string, node: Node, options: { subgraphs: never[] }];

/** The graph's other channels are not passed on. After an interrupt, the graph continues from its own checkpoints. */
export function coreNode(name: string, graph: Compiled): ReturnType<CoreWorkflow> {
  const node: Node = async ({ messages, summary }, config) => {
    const end = (await graph.invoke({ messages, summary }, config)) as ConversationState;
    return { messages: end.messages, outputs: end.outputs };
  };
  return [name, reportingItself(node), { subgraphs: [graph as never] }];
}
