/** The fields of a JSON Schema as flat rows, those of inner objects with dotted paths. */
import type { Schema } from '../../server/http/schemas/documented-schema.ts';
import { code } from './markdown.ts';

export interface FieldRow {
  /** `users[].name`; what is between `<` and `>` may be any name. */
  path: string;
  schema: Schema;
  required: boolean;
}

export function fieldRows(schema: unknown, before = ''): FieldRow[] {
  const rows = new Map<string, FieldRow>();
  for (const { properties = {}, required = [] } of objectsOf(schema))
    for (const [name, one] of Object.entries(properties)) {
      const path = `${before}${name}`;
      for (const row of [
        { path, schema: one, required: required.includes(name) },
        ...fieldRows(one, `${path}.`),
        ...fieldRows(one.items, `${path}[].`),
        ...fieldRows(valuesOf(one), `${path}.<name>.`),
      ])
        if (!rows.has(row.path)) rows.set(row.path, row);
    }
  return [...rows.values()];
}

/** `list of text`, `"day" or "month"`, `number`. */
export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (Array.isArray(schema.enum)) return anyOf(schema.enum.map((one) => code(JSON.stringify(one))));
  const choices = choicesOf(schema);
  if (choices.length > 0) return anyOf(choices.map(typeOf));
  if (Array.isArray(schema.type)) return anyOf(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items as Schema)}` : 'list';
  if (schema.type === 'object' && valuesOf(schema) && !schema.properties) return 'object with any keys';
  return WORDS[String(schema.type)] ?? 'any JSON';
}

/** The constraints of a value in addition to its type: `1 to 100`. */
export function rulesOf(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, maxLength, maxItems, expected } = schema;
  if (typeof expected === 'string') return expected;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (exclusiveMinimum !== undefined)
    return `above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  if (maximum !== undefined) return `at most ${maximum}`;
  if (maxItems !== undefined) return `at most ${maxItems} items`;
  return maxLength === undefined ? '' : `at most ${maxLength} characters`;
}

const WORDS: Record<string, string> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'true or false',
  null: 'null',
  object: 'object',
};

function anyOf(types: string[]): string {
  return [...new Set(types)].join(' or ');
}

interface ObjectSchema {
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Itself, or those of its choices that are objects with fields. */
function objectsOf(schema: unknown): ObjectSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('properties' in schema) return [schema as ObjectSchema];
  return choicesOf(schema as Schema).flatMap(objectsOf);
}

function choicesOf({ anyOf: any, oneOf: one }: Schema): Schema[] {
  return [any, one].flatMap((choices) => (Array.isArray(choices) ? choices : []));
}

/** Of an object whose names are free. */
function valuesOf({ patternProperties }: Schema): Schema | undefined {
  return Object.values((patternProperties ?? {}) as Record<string, Schema>)[0];
}
