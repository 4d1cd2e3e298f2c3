/** Errors of A2A: JSON-RPC error objects with the service's own error body as their data. */
import { Type } from '@sinclair/typebox';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../state/errors.ts';
import { errorResponses } from '../http/error-schema.ts';

export const A2A_ROUTE = '/a2a/:workflow';

/** Whether JSON-RPC is spoken there; agent cards are plain JSON. */
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

/** For a request that is refused before its message is read, hence without its id. */
export function a2aError(body: ErrorBody): object {
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: codeOf(body.error_code), message: sentenceOf(body), data: body },
  };
}

/** Response entries for OpenAPI, by status. */
export function a2aErrors(...codes: ErrorCode[]): ReturnType<typeof errorResponses> {
  const content = { 'application/json': { schema: A2AError } };
  const entries = Object.entries(errorResponses(...codes));
  return Object.fromEntries(entries.map(([status, answer]) => [status, { ...answer, content }]));
}

/** What a person or a model can act on. */
export function sentenceOf({ message, detail }: Pick<ErrorBody, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}

/** https://www.jsonrpc.org/specification#error_object */
function codeOf(code: ErrorCode): number {
  if (code === 'INVALID_JSON') return -32700;
  const [status] = ERRORS[code];
  if (status === 500) return -32603;
  return [400, 404, 405, 413].includes(status) ? -32600 : -32000;
}
