/** JSON-RPC error objects for the service's errors. */
import { ERRORS, type ErrorBody, type ErrorCode } from '../../../state/errors.ts';

/** The response to a request that is rejected before its body is parsed. Its `id` is null because it isn't known yet. */
export function rpcError(body: ErrorBody, code: number) {
  return { jsonrpc: '2.0', id: null, error: { code, message: errorText(body), data: body } };
}

/** https://www.jsonrpc.org/specification#error_object */
export function rpcCode(code: ErrorCode): number {
  if (code === 'INVALID_JSON') return -32700;
  const [status] = ERRORS[code];
  if (status === 500) return -32603;
  return [400, 404, 405, 413].includes(status) ? -32600 : -32000;
}

/** The message and the detail as one sentence, for a user or a model. */
export function errorText({ message, detail }: Pick<ErrorBody, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}
