/** Traverses a value together with its TypeBox schema. */
import type { TSchema } from '@sinclair/typebox';

/** A node of a value. `schema` is undefined if the schema does not describe it. */
export interface ValueNode {
  schema: TSchema | undefined;
  value: unknown;
  /** Dotted path with list indexes: `models[0].api_key`. */
  path: string;
}

/** A copy of the value in which `change` replaces every leaf. Empty lists and mappings are leaves, too. */
export function mapLeaves(node: ValueNode, change: (leaf: ValueNode) => unknown): unknown {
  const fields = children(node);
  if (fields.length === 0) return change(node);
  const mapped = fields.map(([key, child]) => [key, mapLeaves(child, change)] as const);
  // fromEntries defines a key such as `__proto__` as an own property; an assignment would set the prototype.
  return Array.isArray(node.value) ? mapped.map(([, value]) => value) : Object.fromEntries(mapped);
}

/** The schema of a field or list entry; undefined if any value or none is allowed. */
export function childSchema(schema: TSchema | undefined, key: string | number): TSchema | undefined {
  if (schema === undefined) return undefined;
  const members: TSchema[] | undefined = schema.allOf ?? schema.anyOf;
  if (members) return members.map((member) => childSchema(member, key)).find((found) => found !== undefined);
  if (typeof key === 'number') return schema.items;
  if (schema.properties && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  const patterns: [string, TSchema][] = Object.entries(schema.patternProperties ?? {});
  return patterns.find(([pattern]) => new RegExp(pattern).test(key))?.[1];
}

export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function children({ schema, value, path }: ValueNode): [string, ValueNode][] {
  if (Array.isArray(value)) return value.map((item, index) => [String(index), child(index, item)]);
  if (isMapping(value)) return Object.entries(value).map(([key, field]) => [key, child(key, field)]);
  return [];

  function child(key: string | number, field: unknown): ValueNode {
    return { schema: childSchema(schema, key), value: field, path: childPath(path, key) };
  }
}
