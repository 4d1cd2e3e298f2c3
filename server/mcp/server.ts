/** The MCP server of one request: what it lists, and what it does. */
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { errorBody, SkeinError } from '../../state/errors.ts';
import type { McpCall } from './call.ts';
import { DOCUMENT, listDocuments, readDocument } from './documents.ts';
import { rpcCode, sentenceOf } from './errors.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { callTool, listTools } from './tools.ts';

const INSTRUCTIONS =
  'Each workflow is a tool. Its result names a thread_id: give it with the next call to go on with the conversation. Where event_type is "interrupt", the workflow waits for an answer: give it with the tool resume.';

export function mcpServer(call: McpCall): Server {
  const { version } = call.services;
  const server = new Server(
    { name: 'skein', title: 'Skein', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => answered(call, () => listTools(call)));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    answered(call, () => callTool(call, params, context)),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    answered(call, () => listDocuments(call, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [DOCUMENT] }));
  server.setRequestHandler('resources/read', ({ params }) =>
    answered(call, () => readDocument(call, params.uri)),
  );
  server.setRequestHandler('prompts/list', ({ params }) =>
    answered(call, () => listPrompts(call, params?.cursor)),
  );
  server.setRequestHandler('prompts/get', ({ params }) => answered(call, () => getPrompt(call, params)));
  return server;
}

/** The package would send the text of an unexpected error. */
async function answered<T>({ services, requestId }: McpCall, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof SkeinError))
      services.log.error({ err: error, request_id: requestId }, 'request failed');
    const body = errorBody(error, requestId);
    throw new ProtocolError(rpcCode(body.error_code), sentenceOf(body), body);
  }
}
