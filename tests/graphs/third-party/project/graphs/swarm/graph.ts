/** A swarm of `@langchain/langgraph-swarm`: two agents that hand over to each other, one of which asks a person. */
import { tool } from '@langchain/core/tools';
import { interrupt, MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm';
import { z } from 'zod';
import { model } from '../../model.ts';

const refund = tool(
  ({ order }: { order: string }) => {
    const { approved } = interrupt({ refund: order }) as { approved: boolean };
    return approved ? `${order} is refunded` : `${order} is not refunded`;
  },
  { name: 'refund', description: 'Refunds an order', schema: z.object({ order: z.string() }) },
);

const alice = createReactAgent({
  llm: model,
  tools: [createHandoffTool({ agentName: 'bob', description: 'Hands over to Bob, who refunds' })],
  name: 'alice',
  prompt: 'You are Alice.',
});
const bob = createReactAgent({
  llm: model,
  tools: [refund, createHandoffTool({ agentName: 'alice' })],
  name: 'bob',
  prompt: 'You are Bob.',
});

export default createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile({
  checkpointer: new MemorySaver(),
});
