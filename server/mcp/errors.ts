/** MCP error responses: JSON-RPC error objects whose `data` is the service's error body. */
import { Type } from '@sinclair/typebox';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../state/errors.ts';
import { rpcCode, rpcError } from '../http/errors/json-rpc.ts';

export const MCP = '/mcp';

export function isMcpPath(path: string): boolean {
  return path === MCP || path === `${MCP}/`;
}

const ErrorObject = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    // The official server package rejects a message with its id and without data.
    id: Type.Union([Type.Null(), Type.String(), Type.Number()]),
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String(),
      data: Type.Optional(Type.Unknown()),
    }),
  },
  { title: 'JsonRpcError' },
);

/** The response to a request that is rejected before its body is parsed. */
export function mcpError(body: ErrorBody): object {
  return rpcError(body, mcpCode(body.error_code));
}

/** MCP also uses the code for invalid parameters if a name doesn't exist or a prompt can't be rendered. */
export function mcpCode(code: ErrorCode): number {
  const isInvalidParameter = ERRORS[code][0] === 404 || code === 'PROMPT_INVALID';
  return isInvalidParameter ? -32602 : rpcCode(code);
}

/** OpenAPI response entries for the codes, by status. */
export function mcpErrors(...codes: ErrorCode[]) {
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code][0]);
  return responses(Object.entries(byStatus).map(([status, group = []]) => [status, group.join(', ')]));
}

/** The official server package sends it without an error code of the service. */
export const NOT_ACCEPTABLE = responses([
  ['406', 'The client must accept both application/json and text/event-stream'],
]);

function responses(described: [status: string, description: string][]) {
  const content = { 'application/json': { schema: ErrorObject } };
  const entries = described.map(([status, description]) => [status, { description, content }]);
  return Object.fromEntries(entries) as Record<string, { description: string; content: typeof content }>;
}
