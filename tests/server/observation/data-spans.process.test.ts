/** Spans of tools, SQL statements and searches, with the sample database. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import {
  type OtlpReceiver,
  otlpReceiver,
  type ReceivedSpan,
  SEND_IMMEDIATELY,
} from '../../support/otlp-receiver.ts';
import { SAMPLE_DATABASE, type TestService, testService } from '../../support/service.ts';

// Creates the sample database, which is slow on a busy machine.
setDefaultTimeout(120_000);

const COUNT = 'SELECT count(*) AS products FROM products';
const QUESTION = 'How long are frames covered?';
const calls = [
  { id: 'one', name: 'query_database', args: { query: COUNT } },
  { id: 'two', name: 'search_documents', args: { query: QUESTION } },
  { id: 'three', name: 'query_database', args: { query: 'SELECT secret FROM nowhere' } },
  { id: 'four', name: 'failing', args: {} },
];
const at = (name: string) => Bun.fileURLToPath(import.meta.resolve(name));
const GRAPH = `
  import { tool } from '${at('@langchain/core/tools')}';
  import { ToolNode } from '${at('@langchain/langgraph/prebuilt')}';
  import { MessagesAnnotation } from '${at('@langchain/langgraph')}';
  import { knowledgeTool, sqlTool } from '${join(import.meta.dir, '../../../graphs/skein.ts')}';
  const failing = tool(async () => { throw new RangeError('a secret reason'); }, {
    name: 'failing', description: 'fails', schema: { type: 'object', properties: {} } });
  const call = async () => ({ messages: [new AIMessage({ content: '', tool_calls: ${JSON.stringify(calls)} })] });
  export default new StateGraph(MessagesAnnotation)
    .addNode('model', call)
    .addNode('tools', new ToolNode([sqlTool(), knowledgeTool(), failing]))
    .addEdge(START, 'model').addEdge('model', 'tools').addEdge('tools', END).compile();`;

let receiver: OtlpReceiver;
let quiet: TestService;
let telling: TestService;

beforeAll(async () => {
  receiver = otlpReceiver();
  const env = {
    ...SAMPLE_DATABASE,
    ...SEND_IMMEDIATELY,
    SERVICE_TELEMETRY__OTLP_ENDPOINT: `${receiver.url}/v1/traces`,
  };
  quiet = await testService({ graphs: { analyst: GRAPH }, env });
  const capture = { SERVICE_TELEMETRY__CAPTURE_CONTENT: 'true' };
  telling = await testService({ graphs: { analyst: GRAPH }, env: { ...env, ...capture } });
});
afterAll(async () => {
  for (const one of [quiet, telling]) await one?.close();
  await receiver?.close();
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
});

/** The spans of one turn. */
async function turn(service: TestService): Promise<ReceivedSpan[]> {
  receiver.spans.length = 0;
  const { status } = await service.chat({ user_prompt: 'Count them.', conversation_flow: 'analyst' });
  expect(status).toBe(200);
  await receiver.span('POST /api/v1/chat');
  return [...receiver.spans];
}

function pathTo(span: ReceivedSpan | undefined, spans: ReceivedSpan[]): string[] {
  if (!span) return [];
  return [
    ...pathTo(
      spans.find(({ spanId }) => spanId === span.parentSpanId),
      spans,
    ),
    span.name,
  ];
}

test('a statement and a search are below their tool, without their content', async () => {
  const spans = await turn(quiet);
  const tools = ['POST /api/v1/chat', 'invoke_workflow analyst', 'invoke_agent tools'];
  const sql = spans.find(({ name, status }) => name === 'SELECT duckdb' && status === 0);
  expect(pathTo(sql, spans)).toEqual([...tools, 'execute_tool query_database', 'SELECT duckdb']);
  expect(sql).toMatchObject({
    kind: 3,
    attributes: {
      'db.system.name': 'duckdb',
      'db.operation.name': 'SELECT',
      'db.response.returned_rows': 1,
    },
  });
  const search = spans.find(({ name }) => name === 'retrieval knowledge_base');
  expect(pathTo(search, spans)).toEqual([
    ...tools,
    'execute_tool search_documents',
    'retrieval knowledge_base',
  ]);
  expect(search?.attributes).toMatchObject({
    'gen_ai.operation.name': 'retrieval',
    'gen_ai.data_source.id': 'knowledge_base',
  });
  const tool = spans.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === 'one');
  expect(tool?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'query_database',
    'gen_ai.tool.type': 'function',
  });
  const failed = spans.find(({ name }) => name === 'execute_tool failing');
  expect(failed).toMatchObject({ status: 2, attributes: { 'error.type': 'tool_error' } });
  const refused = spans.find(({ name, status }) => name === 'SELECT duckdb' && status === 2);
  expect(refused?.attributes['error.type']).toBe('SqlError');
  const text = JSON.stringify(spans);
  for (const secret of ['count(*)', 'nowhere', 'Frames', 'frames', 'secret reason'])
    expect(text).not.toContain(secret);
});

test('with capture_content, they have the statement, its rows, and the arguments and results of tools', async () => {
  const spans = await turn(telling);
  const sql = spans.find(({ name, status }) => name === 'SELECT duckdb' && status === 0);
  expect(sql?.attributes['db.query.text']).toBe(COUNT);
  expect(JSON.parse(String(sql?.attributes['skein.db.rows']))).toEqual([{ products: expect.any(Number) }]);
  const search = spans.find(({ name }) => name === 'retrieval knowledge_base');
  expect(search?.attributes['gen_ai.retrieval.query.text']).toBe(QUESTION);
  expect(JSON.parse(String(search?.attributes['gen_ai.retrieval.documents']))).toBeArray();
  const tool = spans.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === 'one');
  expect(JSON.parse(String(tool?.attributes['gen_ai.tool.call.arguments']))).toEqual({ query: COUNT });
  expect(String(tool?.attributes['gen_ai.tool.call.result'])).toContain('products');
});
