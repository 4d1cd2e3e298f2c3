/** A project's workflows that pass the service all kinds of objects: errors, schemas, interrupts, sends, commands, messages. */
import { join } from 'node:path';

/** Reads an order, and sends each bike to a mechanic node, which asks a person. */
const ORDERS = `
import { FormatRegistry } from '@sinclair/typebox';
import { Annotation, Command, Conversation, END, interrupt, readJson, Send, SkeinError, START, StateGraph, Type, workflow } from 'skein';

FormatRegistry.Set('bay', (value) => /^bay-[0-9]+$/.test(value));
const Order = Type.Object({ bikes: Type.Array(Type.String()), due: Type.Optional(Type.String({ format: 'date' })) });
const Shape = Type.Object({ bay: Type.String({ format: 'bay' }) });
const last = { reducer: (_before, next) => next, default: () => [] };
const State = Annotation.Root({ ...Conversation.spec, bikes: Annotation(last), bike: Annotation() });

export default workflow({
  description: 'Takes orders.',
  example: '{"bikes": []}',
  options: Type.Object({
    bay: Type.String({ format: 'bay', default: 'bay-1' }),
    size: Type.Union([Type.Literal('small'), Type.Literal('large')], { default: 'small' }),
    most: Type.Integer({ minimum: 1, default: 3 }),
    key: Type.Optional(Type.String()),
  }),
  agents: () => ['desk', 'mechanic', 'closer'].map((name) => ({ name, description: name })),
  read(prompt) {
    const input = readJson(prompt, Order);
    if (input.bikes.includes('none')) throw new SkeinError('INVALID_WORKFLOW_INPUT', { detail: 'bikes: none is no bike' });
    return { input, question: input.bikes.length + ' bikes' };
  },
  build({ agent, options }) {
    if (options.key === undefined)
      throw new SkeinError('CONFIGURATION_ERROR', { message: 'It needs a key', field: 'workflows.orders.key' });
    return new StateGraph(State)
      .addNode('desk', agent('desk', async (_state, { input }) => ({
        content: [options.bay, options.size, options.most].join(' '),
        update: { bikes: input.bikes },
      })))
      .addNode('mechanic', agent('mechanic', async ({ bike }, { extract }) => {
        if (bike === 'busy') throw new SkeinError('OVERLOADED', { detail: 'mechanic: no hands', retryAfter: 7 });
        if (bike === 'found') {
          const { bay } = await extract({ name: 'bay', schema: Shape }, 'Where is it?', []);
          return { content: bike + ' in ' + bay };
        }
        const { bay } = interrupt({ bike, question: 'Which bay?' });
        return { content: bike + ' in ' + bay };
      }))
      .addNode('sort', () => new Command({ update: { bikes: ['sorted'] }, goto: 'closer' }), { ends: ['closer'] })
      .addNode('closer', agent('closer', async ({ bikes }) => ({ content: 'closed ' + bikes })))
      .addEdge(START, 'desk')
      .addConditionalEdges('desk', ({ bikes }) => bikes.map((bike) => new Send('mechanic', { bike, at: new Date(0) })), ['mechanic'])
      .addEdge('mechanic', 'sort')
      .addEdge('closer', END);
  },
});`;

/** The project's own copy of the SQL steps, over the service's guard and database. */
const TABLES = `
import { AgentWork, Conversation, END, sqlWork, START, StateGraph, workflow } from 'skein';
export default workflow({
  description: 'Asks tables.',
  example: 'How many?',
  agents: () => [{ name: 'analyst', description: 'Asks' }],
  build({ agentGraph, openTables }) {
    const rows = () => [{ name: 'bikes', columns: [{ name: 'colour', type: 'VARCHAR' }], rows: [['red'], ['blue']] }];
    const sqlOf = openTables(rows, { maxRows: 10, querySeconds: 60 });
    return new StateGraph(Conversation)
      .addNode(...agentGraph('analyst', sqlWork({ sqlOf, requireApproval: false })))
      .addEdge(START, 'analyst').addEdge('analyst', END);
  },
});`;

/** A core workflow inside the project's graph. */
const INSIDE = `
import { Conversation, END, START, StateGraph, workflow } from 'skein';
export default workflow({
  description: 'Hands on.',
  example: 'How many stores are there?',
  agents: () => [],
  build: ({ coreWorkflow }) =>
    new StateGraph(Conversation)
      .addNode(...coreWorkflow('sql-manipulation-agent', { require_approval: true }))
      .addEdge(START, 'sql-manipulation-agent').addEdge('sql-manipulation-agent', END),
});`;

/** Answers with the messages that it sees. */
const SHOWN = `
import { AIMessage, Conversation, END, START, StateGraph, workflow } from 'skein';
export default workflow({
  description: 'Tells.',
  example: 'Hello',
  agents: () => [{ name: 'teller', description: 'Tells' }],
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('teller', agent('teller', async ({ messages }) => {
        const content = messages.map((message) => message.getType() + ' ' + message.text).join(', ');
        return { content, update: { messages: [new AIMessage('told')] } };
      }))
      .addEdge(START, 'teller').addEdge('teller', END),
});`;

/** LangGraph's prebuilt agent with the service's model, inside an agent and in a plain node. */
const TOOLS = `
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { chatModel, Conversation, END, START, StateGraph, workflow } from 'skein';
const number = { type: 'number' };
const schema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const add = tool(({ a, b }) => String(a + b), { name: 'add', description: 'Adds', schema });
const react = createReactAgent({ llm: chatModel(), tools: [add] });
export default workflow({
  description: 'Calls tools.',
  example: 'Add 1 and 2',
  agents: () => [{ name: 'clerk', description: 'Calls' }],
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('clerk', agent('clerk', async ({ messages }) => ({
        content: (await react.invoke({ messages })).messages.at(-1).text,
      })))
      .addNode('plain', async ({ messages }, config) => {
        const { messages: [, ...said] } = await react.invoke({ messages: messages.slice(-1) }, config);
        return { messages: said };
      })
      .addEdge(START, 'clerk').addEdge('clerk', 'plain').addEdge('plain', END),
});`;

/** The service's answer step with tools of the project's copies: a LangChain tool, and the database, which asks a person. */
const ASKS = `
import { tool } from '@langchain/core/tools';
import { Conversation, END, sqlTool, START, StateGraph, workflow } from 'skein';
import { z } from 'zod';
const add = tool(({ a, b }) => String(a + b), { name: 'add', schema: z.object({ a: z.number(), b: z.number() }) });
const tools = [add, sqlTool({ name: 'select', requireApproval: true })];
export default workflow({
  description: 'Asks.',
  example: 'Add 1 and 2',
  agents: () => [{ name: 'clerk', description: 'Asks' }],
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('clerk', agent('clerk', (_state, { answer }) => answer('Use the tools.', { tools })))
      .addEdge(START, 'clerk').addEdge('clerk', END),
});`;

/** Puts the prompt into the store that LangGraph passes to a plain node in a subgraph. */
const NOTES = `
import { AIMessage, Conversation, END, START, StateGraph, workflow } from 'skein';
const noted = async ({ messages }, { store }) => {
  await store.put(['notes', messages.at(-1).text], 'k', { kept: true }, undefined, { ttl: 60 });
  const found = await store.search(['notes'], { filter: { kept: { $eq: true } } });
  const namespaces = await store.listNamespaces({ prefix: ['notes'] });
  return { messages: [new AIMessage(found.length + ' in ' + namespaces.map((labels) => labels[1]).join(', '))] };
};
const inner = new StateGraph(Conversation).addNode('noted', noted).addEdge(START, 'noted').addEdge('noted', END).compile();
export default workflow({
  description: 'Notes.',
  example: 'Hello',
  agents: () => [],
  build: () =>
    new StateGraph(Conversation).addNode('inner', inner).addEdge(START, 'inner').addEdge('inner', END),
});`;

/** A graph that a function creates with the tools of an MCP server. */
const REMOTE = `
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { chatModel, mcpTools } from 'skein';
export default async () => createReactAgent({ llm: chatModel(), tools: await mcpTools('scripted') });`;

export async function writeSecondCopyWorkflows(project: string): Promise<void> {
  const graphs = {
    ...{ orders: ORDERS, tables: TABLES, inside: INSIDE, shown: SHOWN },
    ...{ tools: TOOLS, asks: ASKS, notes: NOTES, remote: REMOTE },
  };
  for (const [name, text] of Object.entries(graphs))
    await Bun.write(join(project, 'graphs', name, 'graph.ts'), text);
  const prompts = { write_query: 'Write. {{ refusal }}', answer: 'Answer. {{ result }}' };
  for (const [step, text] of Object.entries(prompts))
    await Bun.write(join(project, 'graphs/tables/prompts', `tables.${step}.jinja`), text);
}
