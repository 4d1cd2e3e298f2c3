/** A workflow whose agent runs a function of the test: as a node, as a step of an agent's own graph, and below callbacks. */
import type { CallbackHandlerMethods } from '@langchain/core/callbacks/base';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type AgentResult,
  type AgentTools,
  AgentWork,
  Conversation,
  type ConversationState,
  END,
  START,
  StateGraph,
  workflow,
} from '../../../graphs/skein.ts';

type Work = (tools: AgentTools, state: ConversationState) => Promise<AgentResult>;

let work: Work = async () => ({ content: '' });
let handler: CallbackHandlerMethods = {};

/** The function that the agent runs from now on, and the observer that is called if the prompt begins with `observed:`. */
export function agentDoes(next: Work, callbacks: CallbackHandlerMethods = {}): void {
  work = next;
  handler = callbacks;
}

export default workflow({
  description: 'Does what a test says.',
  agents: () => [{ name: 'clerk', description: 'Does it' }],
  example: 'Go on.',
  build({ agent, agentGraph }) {
    const clerk = agent('clerk', (state, tools) => work(tools, state));
    const observed = new StateGraph(Conversation)
      .addNode('inner', clerk)
      .addEdge(START, 'inner')
      .addEdge('inner', END)
      .compile();
    const [name, node, options] = agentGraph('desk', (step) =>
      new StateGraph(AgentWork)
        .addNode(
          'write',
          step('write', async (state, tools) => {
            const { content, data = null } = await work(tools, state);
            return { result: { content, data } };
          }),
        )
        .addEdge(START, 'write')
        .addEdge('write', END),
    );
    return new StateGraph(Conversation)
      .addNode('clerk', clerk)
      .addNode(name, node, options)
      .addNode('observed', (state: ConversationState, config: RunnableConfig) =>
        observed.invoke(state, { ...config, callbacks: [handler] }),
      )
      .addConditionalEdges(START, routed, ['clerk', 'desk', 'observed'])
      .addEdge('clerk', END)
      .addEdge('desk', END)
      .addEdge('observed', END);
  },
});

function routed({ messages }: ConversationState): string {
  const [first = ''] = messages.at(-1)?.text.split(':') ?? [];
  return ['desk', 'observed'].includes(first) ? first : 'clerk';
}

/** The text of a `graph.ts` that is this workflow. */
export const AGENT_OF_TEST = { told: `export { default } from '${import.meta.path}';` };
