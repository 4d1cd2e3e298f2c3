/** Turns errors into HTTP responses. This is the only place that does; `errorBody` of `state/errors.ts` creates their bodies. */
import { ElysiaCustomStatusResponse, NotFoundError, ParseError, ValidationError } from 'elysia';
import type { Logger } from 'pino';
import { asStorageFull, type ErrorBody, errorBody, SkeinError } from '../../../state/errors.ts';
import { ErrorWithHeaders } from './error-with-headers.ts';
import { invalidRequest } from './invalid-request.ts';

/** The parts of an error's response. */
export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * The reply to a thrown error. An unexpected error is logged in full, and the reply only has a fixed sentence. `format` can add
 * details to the body or replace it with the format of a protocol; text is sent as `text/plain`.
 */
export function errorReply(
  thrown: unknown,
  requestId: string,
  log: Logger,
  format: (body: ErrorBody) => object | string = (body) => body,
): ErrorReply {
  if (thrown instanceof ElysiaCustomStatusResponse && typeof thrown.response === 'string')
    return reply(thrown.code, thrown.response, TEXT);
  const full = asStorageFull(thrown);
  const error = full ?? known(thrown);
  if (full) log.warn({ err: thrown, request_id: requestId }, 'request rejected: storage is full');
  else if (!error) log.error({ err: thrown, request_id: requestId }, 'request failed');
  const body = format(errorBody(error, requestId));
  const headers: Record<string, string> = { ...(typeof body === 'string' ? TEXT : JSON_TYPE) };
  const retryAfter = error?.retryAfter ?? (error?.status === 503 ? RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (error instanceof ErrorWithHeaders) Object.assign(headers, error.headers);
  return reply(error?.status ?? 500, typeof body === 'string' ? body : JSON.stringify(body), headers);
}

/** The same as a response. */
export function errorResponse(...parts: Parameters<typeof errorReply>): Response {
  const { text, ...init } = errorReply(...parts);
  return new Response(text, init);
}

/** The length spares the later steps, such as compression, from reading the body to learn it. */
function reply(status: number, text: string, headers: Record<string, string>): ErrorReply {
  return { status, text, headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) } };
}

// The default for 503 errors without `retryAfter`: those of a closed component or of a workflow's code.
const RETRY_SECONDS = 5;

const TEXT = { 'content-type': 'text/plain;charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' };

function known(thrown: unknown): SkeinError | undefined {
  if (thrown instanceof SkeinError) return thrown;
  if (thrown instanceof ParseError) {
    return thrown.cause instanceof SkeinError
      ? thrown.cause
      : new SkeinError('INVALID_JSON', { cause: thrown });
  }
  if (thrown instanceof NotFoundError) return new SkeinError('NOT_FOUND');
  if (thrown instanceof ValidationError && thrown.type !== 'response')
    // Elysia's own message would contain the value.
    return invalidRequest(thrown.type, thrown.valueError, thrown);
  if (thrown instanceof ElysiaCustomStatusResponse && thrown.code === 404) return new SkeinError('NOT_FOUND');
  return undefined;
}
