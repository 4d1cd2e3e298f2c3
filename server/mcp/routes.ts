/** POST /mcp: the Model Context Protocol over Streamable HTTP, without sessions. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import type { Services } from '../services.ts';
import { MCP, mcpErrors, NOT_ACCEPTABLE } from './errors.ts';
import { turnToolsIn } from './tool-names.ts';

const MESSAGE = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
  required: ['jsonrpc'],
};

// Validated by the official server package, which responds with the protocol's errors.
const Message = Type.Unknown({ documented: MESSAGE, description: 'A JSON-RPC message' });

const RESPONSES = {
  200: {
    description: 'The result, or a stream that ends with the result',
    content: { 'application/json': {}, 'text/event-stream': {} },
  },
  202: { description: 'The notification was accepted' },
};

export const mcpRoutes = (services: Services & Connections) => {
  let module: Promise<typeof import('./handler.ts')> | undefined;
  let handle: ReturnType<Awaited<typeof module & {}>['mcpHandler']> | undefined;
  return new Elysia({ name: 'mcp' }).post(
    MCP,
    async ({ body, request, set }) => {
      for (const _ of turnToolsIn(body)) await services.countChat(request);
      // Imported with the first request, because loading the package would take a tenth of the service's start.
      module ??= import('./handler.ts');
      handle ??= (await module).mcpHandler(services.log);
      const call = { services, request, owner: ownerOf(request), ...requestContext(set) };
      return handle(call, body);
    },
    {
      parse: 'json',
      body: Message,
      detail: {
        summary:
          'MCP (Streamable HTTP): workflows as tools, documents as resources, and prompt files as prompts',
        tags: ['mcp'],
        responses: {
          ...RESPONSES,
          ...NOT_ACCEPTABLE,
          ...mcpErrors(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'ORIGIN_NOT_ALLOWED'] as const),
            ...(['PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
          ),
        },
      },
    },
  );
};
