/** The one edge where errors become answers. */
import { ElysiaCustomStatusResponse, NotFoundError, ParseError, ValidationError } from 'elysia';
import type { Logger } from 'pino';
import { errorBody, SkeinError } from '../state/errors.ts';
import { Refusal } from './authentication/refusals.ts';
import { invalidRequest } from './invalid-request.ts';
import { withPromptPlace } from './prompt-place.ts';

/** The answer to whatever was thrown; what is not known is logged whole and answered with a fixed sentence. */
export function errorResponse(thrown: unknown, requestId: string, log: Logger, path = ''): Response {
  const error = known(thrown);
  if (!error) log.error({ err: thrown, request_id: requestId }, 'request failed');
  const body = withPromptPlace(errorBody(error, requestId), path);
  const headers: Record<string, string> = { 'content-type': 'application/json;charset=utf-8' };
  if (error?.retryAfter !== undefined) headers['retry-after'] = String(error.retryAfter);
  if (error instanceof Refusal) Object.assign(headers, error.headers);
  return new Response(JSON.stringify(body), { status: error?.status ?? 500, headers });
}

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
