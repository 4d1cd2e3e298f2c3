/** Derives the fields of a form from a JSON schema, with a kind for each type of control. */

type Schema = Record<string, unknown>;

interface Common {
  title: string | undefined;
  description: string | undefined;
  /** Whether null is allowed. */
  nullable: boolean;
  /** The schema's default; undefined if it has none. */
  initial: unknown;
}

export type Field = Common &
  (
    | { kind: 'text'; format: string | undefined; shortest: number; longest: number | undefined }
    | { kind: 'number'; isInteger: boolean; least: number | undefined; most: number | undefined }
    | { kind: 'boolean' }
    | { kind: 'choice'; values: unknown[] }
    | { kind: 'list'; of: SchemaNode }
    | { kind: 'object'; fields: NamedField[] }
    /** For all other values: a JSON editor. */
    | { kind: 'json' }
  );

export interface NamedField {
  name: string;
  required: boolean;
  node: SchemaNode;
}

/** A part of a schema. Its inner schemas are read when they are shown, because a schema may contain itself. */
export interface SchemaNode {
  schema: unknown;
  root: unknown;
  depth: number;
}

// Deeper values have a JSON editor.
const MAX_DEPTH = 6;
const MAX_FIELDS = 200;

export const rootNode = (schema: unknown): SchemaNode => ({ schema, root: schema, depth: 0 });

export function fieldOf(node: SchemaNode): Field {
  const { schema, nullable } = normalized(node);
  const { title, description, default: initial } = schema;
  const common: Common = {
    title: typeof title === 'string' && title !== '' ? title : undefined,
    description: typeof description === 'string' ? description : undefined,
    ...{ nullable, initial },
  };
  return { ...common, ...kindOf(schema, node) } as Field;
}

/** Whether a form for the schema has more than a JSON editor. */
export function hasForm(schema: unknown): boolean {
  const field = fieldOf(rootNode(schema));
  return field.kind === 'object' && field.fields.some(({ node }) => fieldOf(node).kind !== 'json');
}

function kindOf(schema: Schema, { root, depth }: SchemaNode): object {
  const { type, enum: values, items, properties } = schema;
  const inside = (inner: unknown): SchemaNode => ({ schema: inner, root, depth: depth + 1 });
  if ('const' in schema) return { kind: 'choice', values: [schema.const] };
  if (Array.isArray(values) && values.length > 0)
    return { kind: 'choice', values: values.filter((one) => one !== null) };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'string') {
    const { format, minLength, maxLength } = schema;
    const shape = { format: typeof format === 'string' ? format : undefined, longest: numberIn(maxLength) };
    return { kind: 'text', ...shape, shortest: numberIn(minLength) ?? 0 };
  }
  if (type === 'number' || type === 'integer') {
    const [least, most] = [numberIn(schema.minimum), numberIn(schema.maximum)];
    return { kind: 'number', isInteger: type === 'integer', least, most };
  }
  if (depth >= MAX_DEPTH) return { kind: 'json' };
  if (type === 'array' && isSchema(items)) return { kind: 'list', of: inside(items) };
  const isObject = type === 'object' || type === undefined;
  const entries = isObject && isSchema(properties) ? Object.entries(properties) : [];
  if (entries.length === 0 || entries.length > MAX_FIELDS) return { kind: 'json' };
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const fields = entries.map(([name, inner]) => ({
    ...{ name, required: required.includes(name), node: inside(inner) },
  }));
  return { kind: 'object', fields };
}

/** Resolves references, null, and alternatives if only one is left or all are constants. */
function normalized({ schema, root }: SchemaNode): { schema: Schema; nullable: boolean } {
  const { $ref: _, ...resolved } = resolvedIn(schema, root);
  const nullable = isNullable(resolved);
  const { anyOf, oneOf = anyOf, allOf, ...own } = withoutNull(resolved);
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => resolvedIn(part, root));
    return { schema: { ...merged(parts), ...own }, nullable };
  }
  if (!Array.isArray(oneOf)) return { schema: own, nullable };
  const alternatives = oneOf.map((part) => resolvedIn(part, root)).filter((part) => part.type !== 'null');
  const isNull = nullable || alternatives.length < oneOf.length;
  const [only, ...more] = alternatives;
  if (only && more.length === 0) {
    const inner = normalized({ schema: only, root, depth: 0 });
    return { schema: { ...inner.schema, ...own }, nullable: isNull || inner.nullable };
  }
  const constants = alternatives.flatMap((part) =>
    'const' in part ? [part.const] : Array.isArray(part.enum) ? part.enum : [undefined],
  );
  const areAll = constants.length > 0 && !constants.includes(undefined);
  return { schema: areAll ? { ...own, enum: constants } : { ...annotations(own) }, nullable: isNull };
}

const annotations = ({ title, description, default: initial }: Schema): Schema => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(initial !== undefined && { default: initial }),
});

function isNullable({ type, enum: values, nullable }: Schema): boolean {
  const isListed = Array.isArray(type) && type.includes('null');
  return isListed || nullable === true || (Array.isArray(values) && values.includes(null));
}

/** Removes null from a list of types. If several types are left, there is no control, so only the annotations are kept. */
function withoutNull(schema: Schema): Schema {
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== 'null');
  if (types.length === 1) return { ...schema, type: types[0] };
  return annotations(schema);
}

/** Merges the parts of `allOf`, with the fields of all objects. */
function merged(parts: Schema[]): Schema {
  const all: Schema = Object.assign({}, ...parts);
  const properties = parts.map((part) => (isSchema(part.properties) ? part.properties : {}));
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  return {
    ...all,
    ...(properties.some((one) => Object.keys(one).length > 0) && {
      properties: Object.assign({}, ...properties),
    }),
    ...(required.length > 0 && { required }),
  };
}

// Limits a chain of references, which may be a cycle.
const MAX_REFERENCES = 16;

function resolvedIn(schema: unknown, root: unknown): Schema {
  let found: Schema = isSchema(schema) ? schema : {};
  for (let count = 0; typeof found.$ref === 'string'; count++) {
    const { $ref, ...own } = found;
    const target = count < MAX_REFERENCES ? at(root, String($ref)) : undefined;
    found = { ...(isSchema(target) ? target : {}), ...own };
  }
  return found;
}

/** Resolves a JSON pointer such as `#/$defs/name`. */
function at(root: unknown, pointer: string): unknown {
  if (!pointer.startsWith('#')) return undefined;
  const names = pointer.slice(1).split('/').slice(1);
  let found = root;
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isSchema(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
