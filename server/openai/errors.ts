/** Errors in the format of OpenAI's API. */
import { type Static, Type } from '@sinclair/typebox';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../state/errors.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const OpenAIError = Type.Object(
  {
    error: Type.Object({
      message: Type.String(),
      type: Type.String(),
      param: Nullable,
      code: Type.String({
        description: 'An error code of this service; `model_not_found` for an unknown model',
      }),
    }),
  },
  { title: 'OpenAIError' },
);
export type OpenAIError = Static<typeof OpenAIError>;

const ROOT = '/v1';

export function isOpenAIPath(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

export function openAIError({ message, detail, error_code }: ErrorBody): OpenAIError {
  const isUnknownModel = error_code === 'WORKFLOW_NOT_FOUND';
  return {
    error: {
      message: detail === undefined ? message : `${message}: ${detail}`,
      type: typeOf(error_code),
      param: isUnknownModel ? 'model' : paramIn(detail),
      code: isUnknownModel ? 'model_not_found' : error_code,
    },
  };
}

/** Tells OpenAI's packages not to retry after 409 and 500. By default they retry, which would start another run. */
export function retryAdvice(status: number): Record<string, string> {
  return NOT_RETRYABLE.includes(status) ? { 'x-should-retry': 'false' } : {};
}

const NOT_RETRYABLE = [409, 500];

/** OpenAPI response entries for the codes, by status. */
export function openAIErrors(...codes: ErrorCode[]): ReturnType<typeof errorResponses> {
  const content = { 'application/json': { schema: OpenAIError } };
  const entries = Object.entries(errorResponses(...codes));
  return Object.fromEntries(entries.map(([status, answer]) => [status, { ...answer, content }]));
}

function typeOf(code: ErrorCode): string {
  const [status] = ERRORS[code];
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** The parameter with which a detail starts, as in `model: expected text`; null if it doesn't start with one. */
function paramIn(detail = ''): string | null {
  return /^([a-z_]+(?:[.[\w\]]+)?): /.exec(detail)?.[1] ?? null;
}
