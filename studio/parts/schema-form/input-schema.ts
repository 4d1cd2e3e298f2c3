/** A short summary of a graph's input schema, and a template for its JSON. */

export interface InputField {
  name: string;
  type: string;
  required: boolean;
}

interface ObjectSchema {
  properties: Record<string, unknown>;
  required?: unknown;
}

/** Returns no fields if the schema is unknown or isn't an object schema. */
export function inputFields(schema: unknown): InputField[] {
  if (!isObject(schema)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, field]) => ({
    ...{ name, type: typeOf(field), required: required.includes(name) },
  }));
}

/** A template to fill in: the required fields, or all fields if none is required. */
export function inputToFillIn(schema: unknown): string {
  const fields = inputFields(schema);
  const required = fields.filter((field) => field.required);
  const wanted = required.length > 0 ? required : fields;
  return JSON.stringify(Object.fromEntries(wanted.map(({ name, type }) => [name, emptyOf(type)])), null, 2);
}

function isObject(schema: unknown): schema is ObjectSchema {
  const { properties } = (schema ?? {}) as Partial<ObjectSchema>;
  return typeof properties === 'object' && properties !== null;
}

function typeOf(schema: unknown): string {
  const { type, enum: values, anyOf } = (schema ?? {}) as Record<string, unknown>;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeOf))].join(' | ');
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}

const EMPTY: Record<string, unknown> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

function emptyOf(type: string): unknown {
  return EMPTY[type] ?? null;
}
