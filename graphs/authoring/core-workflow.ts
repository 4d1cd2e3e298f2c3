/** Workflows of the core as nodes of other workflows: the conversation goes in, their agents' responses come out. */
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { ConversationState } from '../../state/conversation.ts';
import { reportingItself } from './own-nodes.ts';

interface Compiled {
  invoke(input: unknown, config: LangGraphRunnableConfig): Promise<unknown>;
}

type Node = (
  state: ConversationState,
  config: LangGraphRunnableConfig,
) => Promise<Partial<ConversationState>>;

/**
 * Gives the arguments of `addNode`: the workflow's name, the node, and the graph that pictures show inside it. It has the
 * settings under `workflows.<name>`, and `options` over them. Throws where the core has no workflow of that name.
 */
export type CoreWorkflow = (
  name: string,
  options?: Record<string, unknown>,
) => [name: string, node: Node, options: { subgraphs: never[] }];

/** The graph's own channels stay inside; it goes on from its own checkpoints where it was interrupted. */
export function coreNode(name: string, graph: Compiled): ReturnType<CoreWorkflow> {
  const node: Node = async ({ messages, summary }, config) => {
    const end = (await graph.invoke({ messages, summary }, config)) as ConversationState;
    return { messages: end.messages, outputs: end.outputs };
  };
  return [name, reportingItself(node), { subgraphs: [graph as never] }];
}
