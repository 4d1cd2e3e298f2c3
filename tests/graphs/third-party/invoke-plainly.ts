/** Runs a graph with plain LangGraph, without a server: `bun invoke-plainly.ts <file of the graph> <text>`. */
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';
import { HumanMessage } from '@langchain/core/messages';

const [file = '', text = ''] = process.argv.slice(2);
const { default: graph } = await import(file);
const config = { configurable: { thread_id: 'letters', run_id: 'one' }, streamMode: ['values', 'messages'] };
await Array.fromAsync(await graph.stream({ messages: [new HumanMessage(text)] }, config));
await awaitAllCallbacks();
