/** Serves MCP with the official package: the revision 2026-07-28, and earlier revisions without sessions. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { McpCall } from './call.ts';
import { invalidParamsResponse } from './invalid-params.ts';
import { mcpServer } from './server.ts';

// The same as the heartbeat interval of the service's other streams.
const KEEP_ALIVE_MS = 5_000;

/** Returns a handler of MCP requests. `body`: the parsed body of the call's request. */
export function mcpHandler(log: Logger): (call: McpCall, body: unknown) => Promise<Response> {
  // The package only passes the request object to the server, so this map adds the call.
  const calls = new WeakMap<Request, McpCall>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo);
      if (!call) throw new Error('MCP request without a call');
      return mcpServer(call);
    },
    {
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log.debug({ err: error }, 'MCP request rejected'),
    },
  );
  return async (call, body) => {
    const invalid = invalidParamsResponse(body, call.requestId);
    if (invalid) return Response.json(invalid);
    calls.set(call.request, call);
    return handler.fetch(call.request, { parsedBody: body });
  };
}
