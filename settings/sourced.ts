/** A settings tree whose every value knows where it came from, so that layers can be merged and errors can say whom. */
import { childPath, isMapping } from '../state/schema/walk-schema.ts';

export interface Origin {
  /** What a person would look for: `config.yml`, `profile dev in profiles.yml`, `environment WEB_PORT`, `flag --port`. */
  source: string;
  /** Absolute; relative paths among the values are taken from here. */
  folder: string;
}

export interface Leaf {
  kind: 'leaf';
  value: unknown;
  origin: Origin;
}

export interface List {
  kind: 'list';
  items: readonly Sourced[];
  origin: Origin;
}

export interface Mapping {
  kind: 'mapping';
  fields: ReadonlyMap<string, Sourced>;
  origin: Origin;
}

export type Sourced = Leaf | List | Mapping;

/** Fields without a value (`key:` in YAML) are left out: they say nothing. */
export function sourced(value: unknown, origin: Origin): Sourced {
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item) => sourced(item, origin)), origin };
  if (!isMapping(value)) return { kind: 'leaf', value, origin };
  const said = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return {
    kind: 'mapping',
    fields: new Map(said.map(([key, field]) => [key, sourced(field, origin)])),
    origin,
  };
}

/** The node where it is a mapping, else an empty one. */
export function mapping(
  node: Sourced | undefined,
  origin: Origin = { source: 'default', folder: '' },
): Mapping {
  return node?.kind === 'mapping' ? node : { kind: 'mapping', fields: new Map(), origin };
}

/** Mappings are merged field by field; anything else, lists included, replaces what was there. */
export function merge(below: Mapping, above: Mapping): Mapping;
export function merge(below: Sourced | undefined, above: Sourced): Sourced;
export function merge(below: Sourced | undefined, above: Sourced): Sourced {
  if (below?.kind !== 'mapping' || above.kind !== 'mapping') return above;
  const fields = new Map(below.fields);
  for (const [key, field] of above.fields) fields.set(key, merge(fields.get(key), field));
  return { kind: 'mapping', fields, origin: above.origin };
}

export function withField(mapping: Mapping, key: string, field: Sourced): Mapping {
  return { ...mapping, fields: new Map(mapping.fields).set(key, field) };
}

export function plain(node: Sourced): unknown {
  if (node.kind === 'leaf') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  return Object.fromEntries([...node.fields].map(([key, field]) => [key, plain(field)]));
}

/** Every place of the tree, containers included, by dotted path. */
export function origins(node: Sourced, path = ''): Map<string, Origin> {
  const below =
    node.kind === 'list'
      ? node.items.flatMap((item, index) => [...origins(item, childPath(path, index))])
      : node.kind === 'mapping'
        ? [...node.fields].flatMap(([key, field]) => [...origins(field, childPath(path, key))])
        : [];
  return new Map([[path, node.origin], ...below]);
}

/** The origin of the place, or of what holds it where the place itself is missing. */
export function originOf(where: ReadonlyMap<string, Origin>, path: string): Origin | undefined {
  const origin = where.get(path);
  const holder = path.replace(/(\.?[^.[\]]+|\[\d+\])$/, '');
  return origin ?? (holder === path || holder === '' ? undefined : originOf(where, holder));
}
