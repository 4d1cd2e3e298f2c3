/** The schema of the error body, and the error responses of a route for OpenAPI. */
import { type TSchema, Type } from '@sinclair/typebox';
import { ALTERNATIVE_STATUS, ERRORS, type ErrorCode } from '../../../state/errors.ts';

export const ErrorBody = Type.Object(
  {
    status: Type.Literal('error', { description: 'Always error' }),
    message: Type.String({ description: 'What is wrong and what to do, in a sentence' }),
    error_code: Type.String({ description: 'The stable code, for programs: see errors.md' }),
    timestamp: Type.String({ format: 'date-time', description: 'When the error occurred' }),
    request_id: Type.String({ description: 'The `X-Request-Id` of the response, also in the service log' }),
    detail: Type.Optional(
      Type.String({ description: 'Which field, setting or resource the error is about' }),
    ),
  },
  { title: 'Error' },
);

/** OpenAPI response entries by status. The description lists all codes of the status. */
export function errorResponses(...codes: ErrorCode[]) {
  const byStatus = codesByStatus(codes);
  const entries = Object.entries(byStatus).map(([status, group]) => [status, described(status, group ?? [])]);
  return Object.fromEntries(entries) as Record<string, ReturnType<typeof described>>;
}

/** Groups codes by status. A code with two statuses is in both groups. */
export function codesByStatus(codes: ErrorCode[]): Partial<Record<string, ErrorCode[]>> {
  const all = codes.flatMap((code): [number, ErrorCode][] => {
    const other = ALTERNATIVE_STATUS[code];
    return [[ERRORS[code][0], code], ...(other === undefined ? [] : [[other, code] as [number, ErrorCode]])];
  });
  const grouped = Object.groupBy(all, ([status]) => status);
  return Object.fromEntries(
    Object.entries(grouped).map(([status, group = []]) => [status, group.map(([, code]) => code)]),
  );
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' as const } } };

const HEADERS: Record<string, Record<string, object>> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

function described(status: string, codes: ErrorCode[]) {
  return {
    description: codes.join(', '),
    headers: HEADERS[status] ?? {},
    content: { 'application/json': { schema: ErrorBody as TSchema } },
  };
}
