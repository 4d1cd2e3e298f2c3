/** MCP error responses: JSON-RPC error objects whose `data` is the service's error body. */
import { Type } from '@sinclair/typebox';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../state/errors.ts';

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

/** The response to a request that is rejected before its body is parsed. Its `id` is null because it isn't known yet. */
export function rpcError(body: ErrorBody) {
  const error = { code: rpcCode(body.error_code), message: sentenceOf(body), data: body };
  return { jsonrpc: '2.0', id: null, error };
}

/** https://www.jsonrpc.org/specification#error_object */
export function rpcCode(code: ErrorCode): number {
  if (code === 'INVALID_JSON') return -32700;
  const [status] = ERRORS[code];
  if (status === 404) return -32602;
  if (code === 'PROMPT_INVALID') return -32602;
  if (status === 400 || status === 405 || status === 413) return -32600;
  return status === 500 ? -32603 : -32000;
}

/** The message and the detail as one sentence, for a person or a model. */
export function sentenceOf({ message, detail }: Pick<ErrorBody, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}

/** OpenAPI response entries for the codes, by status. */
export function rpcErrors(...codes: ErrorCode[]) {
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code][0]);
  const entries = Object.entries(byStatus).map(([status, group = []]) => [status, described(group)]);
  return Object.fromEntries(entries) as Record<string, ReturnType<typeof described>>;
}

function described(codes: ErrorCode[]) {
  return { description: codes.join(', '), content: { 'application/json': { schema: ErrorObject } } };
}
