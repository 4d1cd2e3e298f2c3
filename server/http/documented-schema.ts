/** Schemas as the API's document shows them: with the rules that the service enforces outside of them. */

export type Schema = Record<string, unknown>;

// No control character other than tab, line feed and carriage return: `json-body.ts`.
const CONTROL = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const TEXT = `^[^${CONTROL}]*$`;
const TEXT_WITH_NON_BLANK = `^[^${CONTROL}]*[^${CONTROL}\\s\\ufeff][^${CONTROL}]*$`;

const ANY = { $ref: '#/components/schemas/AnyJson' };
const NAMES = { propertyNames: { pattern: TEXT } };

/** Any JSON that a body may hold. */
export const AnyJson: Schema = {
  anyOf: [
    { type: ['null', 'boolean', 'number'] },
    { type: 'string', pattern: TEXT },
    { type: 'array', items: ANY },
    { type: 'object', ...NAMES, additionalProperties: ANY },
  ],
};

/** A rule under the keyword `documented` is checked by a handler, with an error code of its own. */
export function withDocumentedRules(schema: unknown): Schema {
  return rewritten(schema, ({ documented, error: _, ...rest }) => ({ ...rest, ...(documented as Schema) }));
}

/** For an object of which a handler wants at least one of these fields. */
export function someOf(...fields: string[]): { documented: Schema } {
  return { documented: { anyOf: fields.map((field) => ({ required: [field] })) } };
}

/** Of a request body: what holds for every text in it, fields that no schema names included. */
export function bodySchema(schema: unknown): Schema {
  return rewritten(withDocumentedRules(schema), (one) => {
    if (one.type === 'string' && one.const === undefined && one.format === undefined)
      return { ...one, pattern: textPattern(one.pattern) };
    if (one.type === 'object') return openObject(one);
    return SHAPING.some((keyword) => one[keyword] !== undefined) ? one : { ...one, ...ANY };
  });
}

/** A schema with none of these accepts anything. */
const SHAPING = ['type', 'anyOf', 'const', 'required'];

function textPattern(pattern: unknown): unknown {
  if (pattern === undefined) return TEXT;
  return pattern === '\\S' ? TEXT_WITH_NON_BLANK : pattern;
}

function openObject({ patternProperties, ...rest }: Schema): Schema {
  return { ...rest, ...NAMES, additionalProperties: ANY };
}

/** Rewrites from the inside out, only where JSON Schema has a subschema: a property may be named like a keyword. */
export function rewritten(schema: unknown, change: (schema: Schema) => Schema): Schema {
  const { properties, items, anyOf, ...rest } = schema as Schema & {
    properties?: Record<string, unknown>;
    anyOf?: unknown[];
  };
  const inner = (one: unknown) => rewritten(one, change);
  return change({
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
    }),
    ...(items !== undefined && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
  });
}
