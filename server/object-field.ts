/** Fields that take any JSON object. */
import { type TOptional, type TUnsafe, Type } from '@sinclair/typebox';
import { SkeinError } from '../state/errors.ts';

/**
 * Documented as an object, checked by `objectIn`: Elysia brings a body into its schema's form before it checks it, and
 * makes an empty object of a list or of null where the schema leaves the fields open.
 */
export function ObjectField(description: string): TOptional<TUnsafe<unknown>> {
  return Type.Optional(Type.Unsafe<unknown>(Type.Unknown({ description })));
}

/** Throws INVALID_REQUEST, which names the field, for anything but an object. */
export function objectIn(value: unknown, field: string): Record<string, unknown> | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new SkeinError('INVALID_REQUEST', { detail: `${field}: expected object` });
}
