/** The schema of the error body, and which errors a route documents. */
import { type TSchema, Type } from '@sinclair/typebox';
import { ERRORS, type ErrorCode } from '../state/errors.ts';

export const ErrorBody = Type.Object(
  {
    status: Type.Literal('error'),
    message: Type.String({ description: 'One sentence a person can act on' }),
    error_code: Type.String(),
    timestamp: Type.String({ format: 'date-time' }),
    request_id: Type.String(),
    detail: Type.Optional(Type.String({ description: 'The thing and the place' })),
  },
  { title: 'Error' },
);

/** Response entries for OpenAPI, by status: the codes that share one are named together. */
export function errorResponses(...codes: ErrorCode[]) {
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code][0]);
  const entries = Object.entries(byStatus).map(([status, group]) => [status, described(group ?? [])]);
  return Object.fromEntries(entries) as Record<string, ReturnType<typeof described>>;
}

function described(codes: ErrorCode[]) {
  return { description: codes.join(', '), content: { 'application/json': { schema: ErrorBody as TSchema } } };
}
