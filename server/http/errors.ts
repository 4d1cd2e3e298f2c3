/** The one edge where errors become answers; `errorBody` of `state/errors.ts` makes their bodies. */
import { ElysiaCustomStatusResponse, NotFoundError, ParseError, ValidationError } from 'elysia';
import type { Logger } from 'pino';
import { type ErrorBody, errorBody, SkeinError, storageFull } from '../../state/errors.ts';
import { invalidRequest } from './invalid-request.ts';
import { Refusal } from './refusals.ts';

/**
 * The answer to whatever was thrown; what is not known is logged whole and answered with a fixed sentence. `present` adds
 * what the route knows, or gives what its protocol answers in place of the body.
 */
export function errorResponse(
  thrown: unknown,
  requestId: string,
  log: Logger,
  present: (body: ErrorBody) => object | string = (body) => body,
): Response {
  if (thrown instanceof ElysiaCustomStatusResponse && typeof thrown.response === 'string')
    return new Response(thrown.response, { status: thrown.code, headers: TEXT });
  const full = storageFull(thrown);
  const error = full ?? known(thrown);
  if (full) log.warn({ err: thrown, request_id: requestId }, 'request refused, there is no room');
  else if (!error) log.error({ err: thrown, request_id: requestId }, 'request failed');
  const body = present(errorBody(error, requestId));
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const headers: Record<string, string> = { 'content-type': `${type};charset=utf-8` };
  const retryAfter = error?.retryAfter ?? (error?.status === 503 ? RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (error instanceof Refusal) Object.assign(headers, error.headers);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, { status: error?.status ?? 500, headers });
}

// A part that is closed, or an author's own error, does not say when to come again.
const RETRY_SECONDS = 5;

const TEXT = { 'content-type': 'text/plain;charset=utf-8' };

function known(thrown: unknown): SkeinError | undefined {
  if (thrown instanceof SkeinError) return thrown;
  if (thrown instanceof ParseError) {
    return thrown.cause instanceof SkeinError
      ? thrown.cause
      : new SkeinError('INVALID_JSON', { cause: thrown });
  }
  if (thrown instanceof NotFoundError) return new SkeinError('NOT_FOUND');
  if (thrown instanceof ValidationError && thrown.type !== 'response')
    // The library's own message would echo the value.
    return invalidRequest(thrown.type, thrown.valueError, thrown);
  if (thrown instanceof ElysiaCustomStatusResponse && thrown.code === 404) return new SkeinError('NOT_FOUND');
  return undefined;
}
