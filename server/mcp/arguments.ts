/** Validates the arguments of tool calls, and prepares schemas for the list of tools. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { invalidRequest } from '../http/errors/invalid-request.ts';

/** Returns the arguments if they match the schema. Throws INVALID_REQUEST that names the argument. */
export function checkedArguments<T extends TSchema>(schema: T, args: unknown): Static<T> {
  if (Value.Check(schema, args)) return args;
  throw invalidRequest('arguments', Value.Errors(schema, args).First());
}

/** The schema as plain JSON, without `documented`, which only this service's OpenAPI document uses. */
export function listedSchema(schema: TSchema): { type: 'object' } & Record<string, unknown> {
  const { documented: _, ...rest } = JSON.parse(JSON.stringify(schema));
  return rest;
}
