/** Serves MCP by the official package: requests of the 2026-07-28 revision, and of earlier ones without sessions. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { McpCall } from './call.ts';
import { paramsRefused } from './params.ts';
import { mcpServer } from './server.ts';

// As the heartbeat of the service's other streams.
const KEEP_ALIVE_MS = 5_000;

/** `body` is the parsed message of the call's request. */
export function mcpHandler(log: Logger): (call: McpCall, body: unknown) => Promise<Response> {
  // The package hands a request on as it is, and nothing beside it.
  const calls = new WeakMap<Request, McpCall>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo);
      if (!call) throw new Error('a server is made for a request that did not come over the route');
      return mcpServer(call);
    },
    {
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log.debug({ err: error }, 'MCP request refused'),
    },
  );
  return async (call, body) => {
    const refused = paramsRefused(body, call.requestId);
    if (refused) return Response.json(refused);
    calls.set(call.request, call);
    return handler.fetch(call.request, { parsedBody: body });
  };
}
