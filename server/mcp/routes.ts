/** POST /mcp: the Model Context Protocol over streamable HTTP, without sessions. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { callOf } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import type { Services } from '../services.ts';
import { MCP, rpcErrors } from './errors.ts';
import { turnsIn } from './tool-names.ts';

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

// The official server package checks it, and answers in the protocol's own words.
const Message = Type.Unknown({ documented: MESSAGE, description: 'A JSON-RPC message' });

const ANSWERS = {
  200: {
    description: 'The result, or a stream that ends with it',
    content: { 'application/json': {}, 'text/event-stream': {} },
  },
  202: { description: 'A notification was taken' },
};

export const mcpRoutes = (services: Services & Connections) => {
  let opened: Promise<typeof import('./handler.ts')> | undefined;
  let serving: ReturnType<Awaited<typeof opened & {}>['mcpHandler']> | undefined;
  return new Elysia({ name: 'mcp' }).post(
    MCP,
    async ({ body, request, set }) => {
      for (const _ of turnsIn(body)) await services.countChat(request);
      // Loaded with the first request: the package takes a tenth of the service's start.
      opened ??= import('./handler.ts');
      serving ??= (await opened).mcpHandler(services.log);
      const call = { services, request, owner: ownerOf(request), ...callOf(set) };
      return serving(call, body);
    },
    {
      parse: 'json',
      body: Message,
      detail: {
        summary:
          'MCP (streamable HTTP): the workflows as tools, the documents as resources, the prompt files',
        tags: ['mcp'],
        responses: {
          ...ANSWERS,
          ...rpcErrors(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'ORIGIN_NOT_ALLOWED'] as const),
            ...(['PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
          ),
        },
      },
    },
  );
};
