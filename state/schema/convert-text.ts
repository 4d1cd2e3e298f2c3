/** Converts text (an environment variable, a flag, a substituted value) to the type of its schema. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { mapLeaves } from './walk-schema.ts';

/**
 * Returns a copy of the value in which texts are converted to the numbers, booleans, lists and mappings that the schema expects.
 * TypeBox's `Convert` is not used, because it loses information silently: 8080.5 becomes 8080, `1e3` becomes 1 and `true` 1.
 * Texts that cannot be converted are unchanged; the validation rejects them.
 */
export function convertText(schema: TSchema | undefined, value: unknown): unknown {
  return mapLeaves({ schema, value, path: '' }, (leaf) =>
    leaf.schema && typeof leaf.value === 'string' ? fromText(leaf.schema, leaf.value) : leaf.value,
  );
}

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

function fromText(schema: TSchema, text: string): unknown {
  if (Array.isArray(schema.anyOf)) return fromTextToOneOf(schema.anyOf, text);
  if (schema.type === 'integer' || schema.type === 'number') return NUMBER.test(text) ? Number(text) : text;
  if (schema.type === 'boolean') return toBoolean(text);
  if (schema.type === 'array' || schema.type === 'object') return fromJson(schema, text);
  return text;
}

function fromTextToOneOf(members: readonly TSchema[], text: string): unknown {
  const converted = members.map((member) => ({ member, value: fromText(member, text) }));
  const fitting = converted.find(({ member, value }) => Value.Check(member, value));
  return fitting ? fitting.value : text;
}

function toBoolean(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : text;
}

function fromJson(schema: TSchema, text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? convertText(schema, parsed) : text;
  } catch {
    return text; // The validation says what was expected.
  }
}
