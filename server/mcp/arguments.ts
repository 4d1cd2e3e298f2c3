/** Arguments of a tool's call, against the schema that the tool lists. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { invalidRequest } from '../http/invalid-request.ts';

/** Throws INVALID_REQUEST, naming the argument. */
export function checkedArguments<T extends TSchema>(schema: T, given: unknown): Static<T> {
  if (Value.Check(schema, given)) return given;
  throw invalidRequest('arguments', Value.Errors(schema, given).First());
}

/** As a tool lists it: without what the service adds to its schemas for itself. */
export function listedSchema(schema: TSchema): { type: 'object' } & Record<string, unknown> {
  const { documented: _, ...rest } = JSON.parse(JSON.stringify(schema));
  return rest;
}
