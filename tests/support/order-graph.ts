/** Typical LangGraph graphs in a project: one with an input, a tool call and two interrupts, and one that stops. */
import { join } from 'node:path';

const resolved = (name: string) => JSON.stringify(Bun.resolveSync(name, import.meta.dir));

const ORDER = `
import { tool } from ${resolved('@langchain/core/tools')};
import { AIMessage } from ${resolved('@langchain/core/messages')};
import { Annotation, interrupt, MessagesAnnotation, START, StateGraph } from ${resolved('@langchain/langgraph')};
import { z } from ${resolved('zod')};

const Input = z.object({
  item: z.string().describe('What is ordered'),
  count: z.number().int().default(1),
  colour: z.enum(['red', 'blue']),
  notes: z.array(z.string()).optional(),
});
const State = Annotation.Root({
  item: Annotation, count: Annotation, colour: Annotation, notes: Annotation, each: Annotation,
  delivered: Annotation, urgent: Annotation, ...MessagesAnnotation.spec,
});
const Context = z.object({ discount: z.number() });
const price = tool(({ item }) => String({ saddle: 40, bell: 15 }[item]), {
  name: 'price', description: 'The price of an item', schema: z.object({ item: z.string() }),
});

export default new StateGraph({ state: State, input: Input, context: Context })
  .addNode('clerk', async ({ item }, config) => ({ each: Number(await price.invoke({ item }, config)) }))
  .addNode('packer', ({ count = 1 }, config) => void config.writer({ packed: count }) ?? {})
  .addNode('courier', () => ({ delivered: interrupt('Who delivers?') }))
  .addNode('customer', () => ({ urgent: interrupt({ question: 'Is it urgent?' }) }))
  .addNode('bill', ({ count = 1, colour, item, each, delivered, urgent, notes = [] }, config) => {
    const sum = count * each - (config.context?.discount ?? 0);
    return { messages: [new AIMessage([count + ' ' + colour + ' ' + item + ' for ' + sum, delivered, urgent, ...notes].join(', '))] };
  })
  .addEdge(START, 'clerk').addEdge('clerk', 'packer')
  .addEdge('packer', 'courier').addEdge('packer', 'customer').addEdge(['courier', 'customer'], 'bill')
  .compile();`;

const STOPS = `
import { AIMessage } from ${resolved('@langchain/core/messages')};
import { MessagesAnnotation, START, StateGraph } from ${resolved('@langchain/langgraph')};
export default new StateGraph(MessagesAnnotation)
  .addNode('first', () => ({}))
  .addNode('second', () => ({ messages: [new AIMessage('second was here')] }))
  .addEdge(START, 'first').addEdge('first', 'second')
  .compile({ interruptBefore: ['second'] });`;

/** Writes the workflows `order` and `stops` into the project. */
export async function writeOrderGraph(folder: string): Promise<void> {
  await Bun.write(join(folder, 'graphs', 'order', 'graph.ts'), ORDER);
  await Bun.write(join(folder, 'graphs', 'stops', 'graph.ts'), STOPS);
}
