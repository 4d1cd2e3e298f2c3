/** Turns text (an environment variable, a flag, a substituted value) into what its schema asks for. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { mapLeaves } from './walk-schema.ts';

/**
 * A copy of the value with every text converted that stands for a number, a boolean, a list or a mapping.
 * Not TypeBox's own `Convert`, because that loses information silently: 8080.5 becomes 8080, `1e3` 1 and `true` 1.
 * What cannot be converted stays as it is, for the check to refuse.
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
    return text; // the check that follows says what was expected
  }
}
