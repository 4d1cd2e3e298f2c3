/** Fits a value to a schema without guessing: strings that are numbers or booleans are converted, unknown fields are dropped. */
import { Kind, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** The result may still fail the schema. Fields allowed by `additionalProperties` are kept. */
export function fitSchema(value: unknown, schema: TSchema): unknown {
  // Only the schema's own library can check a schema that isn't TypeBox's.
  if (Array.isArray(schema.anyOf)) return Kind in schema ? fitUnion(value, schema.anyOf) : value;
  if (schema.type === 'array' && Array.isArray(value) && schema.items)
    return value.map((item) => fitSchema(item, schema.items));
  if (schema.type === 'object' && schema.properties && isObject(value)) return fitObject(value, schema);
  if (typeof value !== 'string') return value;
  if (schema.type === 'number' || schema.type === 'integer') return numberIn(value, schema) ?? value;
  return schema.type === 'boolean' ? (TRUTH.get(value.trim().toLowerCase()) ?? value) : value;
}

function fitObject(value: Record<string, unknown>, schema: TSchema): Record<string, unknown> {
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    if (Object.hasOwn(schema.properties, key)) return [[key, fitSchema(field, schema.properties[key])]];
    return isOpen ? [[key, field]] : [];
  });
  return Object.fromEntries(entries);
}

/** A value that already matches a member is returned unchanged. */
function fitUnion(value: unknown, members: TSchema[]): unknown {
  const fitted = [value, ...members.map((member) => fitSchema(value, member))];
  return fitted.find((each) => members.some((member) => Value.Check(member, each))) ?? value;
}

const TRUTH = new Map([
  ['true', true],
  ['false', false],
]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Undefined if the text is not entirely a number, or the number is out of range. */
function numberIn(text: string, { type }: TSchema): number | undefined {
  const trimmed = text.trim();
  const number = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
  return (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
