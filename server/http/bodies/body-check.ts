/** Validates a body against its route's schema, before Elysia does. */
import type { TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { invalidRequest } from '../errors/invalid-request.ts';

/**
 * Returns a valid body unchanged. Throws INVALID_REQUEST for any other. Elysia's own validation would first turn an array or
 * null into an object, and would copy an invalid body into its error several times. `part`: what an error names if the
 * violation is not in a field.
 */
export function bodyCheck(schema: TSchema, part = 'body'): (body: unknown) => unknown {
  let compiled: TypeCheck<TSchema> | undefined;
  return (body) => {
    compiled ??= TypeCompiler.Compile(schema);
    if (compiled.Check(body)) return body;
    throw invalidRequest(part, compiled.Errors(body).First());
  };
}
