/** A2A error responses: JSON-RPC error objects whose `data` is the service's error body. */
import { Type } from '@sinclair/typebox';
import type { ErrorBody, ErrorCode } from '../../state/errors.ts';
import { rpcCode, rpcError } from '../http/errors/json-rpc.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';

export const A2A_ROUTE = '/a2a/:workflow';

/** Whether the path is a JSON-RPC endpoint. Agent cards are plain JSON and don't count. */
export function isA2APath(path: string): boolean {
  return /^\/a2a\/[^/]+\/?$/.test(path);
}

const A2AError = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    error: Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Unknown() }),
  },
  { title: 'A2AError' },
);

/** The response to a request that is rejected before its body is parsed. */
export function a2aError(body: ErrorBody): object {
  return rpcError(body, rpcCode(body.error_code));
}

/** OpenAPI response entries for the codes, by status. */
export function a2aErrors(...codes: ErrorCode[]): ReturnType<typeof errorResponses> {
  const content = { 'application/json': { schema: A2AError } };
  const entries = Object.entries(errorResponses(...codes));
  return Object.fromEntries(entries.map(([status, answer]) => [status, { ...answer, content }]));
}
