/** Brings a value nearer to a schema without making more of it: texts of numbers and truth values become them, unknown fields go. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** Whether the result fits is for the schema to say. Fields that an object's schema leaves open stay. */
export function fitSchema(value: unknown, schema: TSchema): unknown {
  if (Array.isArray(schema.anyOf)) return fitUnion(value, schema.anyOf);
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

/** What fits one of several as it is stays as it is. */
function fitUnion(value: unknown, members: TSchema[]): unknown {
  const fitted = [value, ...members.map((member) => fitSchema(value, member))];
  return fitted.find((each) => members.some((member) => Value.Check(member, each))) ?? value;
}

const TRUTH = new Map([
  ['true', true],
  ['false', false],
]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Undefined for a text that is not wholly a number, and for one that a number cannot hold. */
function numberIn(text: string, { type }: TSchema): number | undefined {
  const trimmed = text.trim();
  const number = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
  return (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
