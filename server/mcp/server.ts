/** Creates the MCP server of a request and registers its handlers. */
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { errorBody, SkeinError } from '../../state/errors.ts';
import { errorText } from '../http/errors/json-rpc.ts';
import type { McpCall } from './call.ts';
import { DOCUMENT, listDocuments, readDocument } from './documents.ts';
import { mcpCode } from './errors.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { callTool, listTools } from './tools.ts';

const INSTRUCTIONS =
  'Each workflow is a tool. Its result has a thread_id: pass it to the next call to continue the conversation. If event_type is "interrupt", the workflow waits for an answer: send it with the tool resume.';

/** Each request gets its own server, because the endpoint has no sessions. */
export function mcpServer(call: McpCall): Server {
  const { version } = call.services;
  const server = new Server(
    { name: 'skein', title: 'Skein', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => withRpcErrors(call, () => listTools(call)));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    withRpcErrors(call, () => callTool(call, params, context)),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    withRpcErrors(call, () => listDocuments(call, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [DOCUMENT] }));
  server.setRequestHandler('resources/read', ({ params }) =>
    withRpcErrors(call, () => readDocument(call, params.uri)),
  );
  server.setRequestHandler('prompts/list', ({ params }) =>
    withRpcErrors(call, () => listPrompts(call, params?.cursor)),
  );
  server.setRequestHandler('prompts/get', ({ params }) => withRpcErrors(call, () => getPrompt(call, params)));
  return server;
}

/** Converts errors to JSON-RPC errors. The package would send the message of an unexpected error to the client. */
async function withRpcErrors<T>({ services, requestId }: McpCall, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof SkeinError))
      services.log.error({ err: error, request_id: requestId }, 'request failed');
    const body = errorBody(error, requestId);
    throw new ProtocolError(mcpCode(body.error_code), errorText(body), body);
  }
}
