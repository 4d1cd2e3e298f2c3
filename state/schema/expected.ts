/** Describes what a schema accepts, for messages that must not contain the value. */
import type { TSchema } from '@sinclair/typebox';

/** For example `an integer from 0 to 65535`. The keyword `expected` of a schema takes precedence. */
export function expected(schema: TSchema): string {
  if (typeof schema.expected === 'string') return schema.expected;
  if (schema.const !== undefined) return String(schema.const);
  if (Array.isArray(schema.anyOf)) return `one of ${schema.anyOf.map(expected).join(', ')}`;
  if (schema.type === 'integer') return `an integer${range(schema)}`;
  if (schema.type === 'number') return `a number${range(schema)}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'array') return schema.minItems ? `a list of at least ${schema.minItems}` : 'a list';
  if (schema.type === 'object') return 'a mapping of fields';
  if (schema.type === 'string') return schema.minLength ? 'text that is not empty' : 'text';
  return 'another value';
}

function range({ minimum, maximum, exclusiveMinimum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const bounds = [
    minimum === undefined ? '' : `of at least ${minimum}`,
    exclusiveMinimum === undefined ? '' : `greater than ${exclusiveMinimum}`,
    maximum === undefined ? '' : `of at most ${maximum}`,
  ].filter((bound) => bound !== '');
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`;
}
