/** Errors of LangGraph's protocol, which are plain text, because its clients print them. */
import { type TSchema, Type } from '@sinclair/typebox';
import type { ErrorBody, ErrorCode } from '../../state/errors.ts';
import { codesByStatus } from '../http/schemas/error-schema.ts';

const ROOTS = /^\/(?:ok|info|assistants|threads|runs|store|ui|internal)(?:\/|$)/;

/** Whether a path belongs to the protocol. Its paths have no common prefix. */
export function isProtocolPath(path: string): boolean {
  return ROOTS.test(path);
}

/** The text that clients compare and print. `detail` is more specific than `message`, which is the code's default. */
export function errorText({ message, detail }: ErrorBody): string {
  return detail ?? message;
}

/** OpenAPI response entries for the codes, by status. */
export function textErrors(...codes: ErrorCode[]) {
  const byStatus = codesByStatus(codes);
  const entries = Object.entries(byStatus).map(([status, group = []]) => [status, described(group)]);
  return Object.fromEntries(entries) as Record<string, ReturnType<typeof described>>;
}

function described(codes: ErrorCode[]) {
  return {
    description: codes.join(', '),
    content: { 'text/plain': { schema: Type.String() as TSchema } },
  };
}
