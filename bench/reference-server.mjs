/** LangGraph's server, started as `langgraphjs dev` does, with the graph `message-state`. Runs on Node with tsx. */
import { createServer } from 'node:net';
import { startServer } from '@langchain/langgraph-api/server';

const free = createServer().listen(0, '127.0.0.1');
await new Promise((resolve) => free.once('listening', resolve));
const { port } = free.address();
await new Promise((resolve) => free.close(resolve));

process.chdir(process.argv[2]);
const { host } = await startServer({
  ...{ port, host: '127.0.0.1', nWorkers: 10, cwd: process.cwd() },
  graphs: { 'message-state': `${import.meta.dirname}/graphs/message-state/graph.ts:default` },
});
console.log(`listening on http://${host.replace(/^https?:\/\//, '')}`);
