/** A body against its route's schema, before the framework looks at it. */
import type { TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { invalidRequest } from './invalid-request.ts';

/**
 * Gives a body that fits back as it is; throws INVALID_REQUEST for another. The framework would make an object of a list or
 * of null first, and would write a body that does not fit into its error several times over.
 */
export function bodyCheck(schema: TSchema): (body: unknown) => unknown {
  let compiled: TypeCheck<TSchema> | undefined;
  return (body) => {
    compiled ??= TypeCompiler.Compile(schema);
    if (compiled.Check(body)) return body;
    throw invalidRequest('body', compiled.Errors(body).First());
  };
}
