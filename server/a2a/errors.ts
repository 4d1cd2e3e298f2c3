/** A2A error responses: JSON-RPC error objects whose `data` is the service's error body. */
import { Type } from '@sinclair/typebox';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../state/errors.ts';
import { errorResponses } from '../http/error-schema.ts';

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

/** The response to a request that is rejected before its body is parsed. Its `id` is null because it isn't known yet. */
export function a2aError(body: ErrorBody): object {
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: codeOf(body.error_code), message: sentenceOf(body), data: body },
  };
}

/** OpenAPI response entries for the codes, by status. */
export function a2aErrors(...codes: ErrorCode[]): ReturnType<typeof errorResponses> {
  const content = { 'application/json': { schema: A2AError } };
  const entries = Object.entries(errorResponses(...codes));
  return Object.fromEntries(entries.map(([status, answer]) => [status, { ...answer, content }]));
}

/** The message and the detail as one sentence, for a person or a model. */
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
