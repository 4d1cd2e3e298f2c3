/** The one edge where errors become answers. */
import { ElysiaCustomStatusResponse, NotFoundError, ParseError, ValidationError } from 'elysia';
import type { Logger } from 'pino';
import { errorBody, SkeinError } from '../state/errors.ts';
import { Refusal } from './authentication/refusals.ts';
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
  if (thrown instanceof ValidationError) return invalid(thrown);
  if (thrown instanceof ElysiaCustomStatusResponse && thrown.code === 404) return new SkeinError('NOT_FOUND');
  return undefined;
}

/** Names the field and the rule. The library's own message would echo the value. */
function invalid(error: ValidationError): SkeinError | undefined {
  if (error.type === 'response') return undefined;
  const first = error.valueError;
  const path = (first?.path ?? '').split('/').filter(Boolean).join('.');
  return new SkeinError('INVALID_REQUEST', {
    detail: `${path || error.type}: ${(first?.schema?.error as string | undefined) ?? ruleOf(first?.schema) ?? 'not valid'}`,
    cause: error,
  });
}

function ruleOf(schema: Record<string, unknown> | undefined): string | undefined {
  if (!schema) return undefined;
  if (typeof schema.description === 'string' && schema.pattern !== undefined)
    return `expected ${schema.description}`;
  const choices = Array.isArray(schema.anyOf)
    ? schema.anyOf.map((one) => JSON.stringify(one.const))
    : undefined;
  if (choices?.every((choice) => choice !== undefined)) return `expected one of ${choices.join(', ')}`;
  if (typeof schema.type !== 'string') return undefined;
  const bounds = (['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const)
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${name} ${schema[name]}`);
  return `expected ${schema.type}${bounds.length > 0 ? ` (${bounds.join(', ')})` : ''}`;
}
