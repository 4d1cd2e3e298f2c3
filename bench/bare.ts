/** The baseline: an Elysia handler that awaits `graph.invoke` of the same graph, with MemorySaver or PostgresSaver. */
import { HumanMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { ChatOpenAI } from '@langchain/openai';
import { Elysia } from 'elysia';
import { agentNode } from '../graphs/authoring/agent/agent.ts';
import { agentGraph } from '../graphs/authoring/agent/agent-graph.ts';
import { openedInRun } from '../graphs/authoring/run/opened.ts';
import { withRun } from '../graphs/authoring/run/run-context.ts';
import { runTables } from '../graphs/authoring/run-tables.ts';
import { AIMessage, Conversation, END, START, StateGraph } from '../graphs/skein.ts';
import { createPrompts } from '../prompts/prompts.ts';
import { readShippedPrompts } from '../prompts/shipped-source.ts';
import type { ConversationState } from '../state/threads/conversation.ts';
import { emptyRecord } from '../state/threads/run-trace.ts';
import { openModels } from '../tools/models/models.ts';
import { UNMETERED } from '../tools/models/usage/meter.ts';
import { openSqlDatabase } from '../tools/sql/open.ts';
import definition from './graphs/one-agent/graph.ts';

const [mode, baseUrl = '', database] = process.argv.slice(2);

/** The graph that the service runs, including its agents and its model client. */
async function sameGraph() {
  const entry = { model: 'm', role: 'chat' as const, base_url: baseUrl, timeout_seconds: 60, max_retries: 2 };
  const model = openModels([{ ...entry, structured_output: 'auto', fallbacks: [] }]).chat();
  const prompts = createPrompts(await readShippedPrompts([`${import.meta.dir}/graphs/one-agent/prompts`]));
  const sql = openSqlDatabase({ path: 'none', seeds: false });
  const environment = { workflow: 'one-agent', model, temperature: undefined, prompts };
  return definition.build({
    agent: agentNode(environment),
    agentGraph: agentGraph(environment),
    coreWorkflow: () => {
      throw new Error('This graph has no subgraphs');
    },
    openSql: sql.open,
    openTables: runTables(sql.openTables),
    openLibrary: () => {
      throw new Error('This graph has no knowledge base');
    },
    options: {},
  });
}

async function postgresSaver(url: string): Promise<PostgresSaver> {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  return saver;
}

/** A typical LangGraph graph with ChatOpenAI in the node and without Skein. */
function plainGraph() {
  const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: baseUrl } });
  return new StateGraph(Conversation)
    .addNode('answerer', async ({ messages }: ConversationState) => ({
      messages: [await model.invoke(messages)],
    }))
    .addEdge(START, 'answerer')
    .addEdge('answerer', END);
}

const graph = (mode === 'plain' ? plainGraph() : await sameGraph()).compile({
  checkpointer: database === undefined ? new MemorySaver() : await postgresSaver(database),
});
const noData = (): never => {
  throw new Error('This graph has no data');
};
const run = {
  emit: () => {},
  executions: {
    begin: () => ({ attempt: 1, execution: 1 }),
    attempt: () => 1,
    spokenLast: () => undefined,
    text: () => '',
  },
  causesOf: () => ({}),
  working: new Map(),
  reported: new Set(),
  signal: new AbortController().signal,
  meter: UNMETERED,
  input: undefined,
  opened: openedInRun().opened,
  sources: {
    openSql: noData,
    openLibrary: noData,
    sqlRules: { maxRows: 1, querySeconds: 1, requireApproval: false },
    downloadRules: { maxRows: 1, querySeconds: 1 },
    searchRules: {},
    mcp: { tools: noData, call: noData },
  },
  chat: () => undefined,
  priceOf: () => undefined,
  usedModel: () => {},
  record: emptyRecord,
  onEnd: () => {},
};

const app = new Elysia()
  .post('/chat', async ({ body }) => {
    const { user_prompt, thread_id } = body as { user_prompt: string; thread_id: string };
    const config = { configurable: withRun({ thread_id }, run) };
    const state = (await graph.invoke(
      { messages: [new HumanMessage(user_prompt)] },
      config,
    )) as ConversationState;
    const answer = state.messages.at(-1);
    return { thread_id, agent_response: answer instanceof AIMessage ? answer.text : '' };
  })
  .listen({ port: 0, hostname: '127.0.0.1' });
console.log(`listening on http://127.0.0.1:${app.server?.port}`);
