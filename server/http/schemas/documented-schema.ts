/** Schemas for the OpenAPI document: adds the rules that the service enforces outside of TypeBox schemas. */

export type Schema = Record<string, unknown>;

// `json-body.ts` rejects all control characters except tab, line feed and carriage return.
const CONTROL = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const TEXT = `^[^${CONTROL}]*$`;
const TEXT_WITH_NON_BLANK = `^[^${CONTROL}]*[^${CONTROL}\\s\\ufeff][^${CONTROL}]*$`;

const ANY = { $ref: '#/components/schemas/AnyJson' };
const NAMES = { propertyNames: { pattern: TEXT } };

/** Any JSON value that a body may contain. */
export const AnyJson: Schema = {
  anyOf: [
    { type: ['null', 'boolean', 'number'] },
    { type: 'string', pattern: TEXT },
    { type: 'array', items: ANY },
    { type: 'object', ...NAMES, additionalProperties: ANY },
  ],
};

/** Merges the schema under the keyword `documented`, whose rules a handler checks, into the schema itself. */
export function withDocumentedRules(schema: unknown): Schema {
  return rewritten(schema, ({ documented, error: _, ...rest }) => ({ ...rest, ...(documented as Schema) }));
}

/** Documents that a handler requires at least one of these fields. */
export function atLeastOneOf(...fields: string[]): { documented: Schema } {
  return { documented: { anyOf: fields.map((field) => ({ required: [field] })) } };
}

/** The documented schema of a request body: the rules for text also apply to fields that the schema doesn't declare. */
export function bodySchema(schema: unknown): Schema {
  return rewritten(withDocumentedRules(schema), (one) => {
    if (one.type === 'string' && one.const === undefined && one.format === undefined)
      return { ...one, pattern: textPattern(one.pattern) };
    if (one.type === 'object') return openObject(one);
    return CONSTRAINING.some((keyword) => one[keyword] !== undefined) ? one : { ...one, ...ANY };
  });
}

/** A schema with none of these keywords accepts any value. */
const CONSTRAINING = ['type', 'anyOf', 'const', 'required'];

function textPattern(pattern: unknown): unknown {
  if (pattern === undefined) return TEXT;
  return pattern === '\\S' ? TEXT_WITH_NON_BLANK : pattern;
}

function openObject({ patternProperties, ...rest }: Schema): Schema {
  return { ...rest, ...NAMES, additionalProperties: ANY };
}

/** Changes each subschema, innermost first. Distinguishes keywords from properties, which can have a keyword's name. */
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
