/** A settings tree whose values know their source, so that layers can be merged and errors can name the source. */
import { childPath, isMapping } from '../state/schema/walk-schema.ts';

export interface Origin {
  /** For people: `config.yml`, `profile dev in profiles.yml`, `environment WEB_PORT`, `flag --port`. */
  source: string;
  /** Absolute; the base of relative paths among the values. */
  folder: string;
}

interface Leaf {
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

/** Fields without a value (`key:` in YAML) are left out, because they set nothing. */
export function sourced(value: unknown, origin: Origin): Sourced {
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item) => sourced(item, origin)), origin };
  if (!isMapping(value)) return { kind: 'leaf', value, origin };
  const entries = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return {
    kind: 'mapping',
    fields: new Map(entries.map(([key, field]) => [key, sourced(field, origin)])),
    origin,
  };
}

/** The node if it is a mapping; otherwise, an empty mapping. */
export function mapping(
  node: Sourced | undefined,
  origin: Origin = { source: 'default', folder: '' },
): Mapping {
  return node?.kind === 'mapping' ? node : { kind: 'mapping', fields: new Map(), origin };
}

/** Mappings are merged field by field. Any other value, including a list, replaces the previous one. */
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

/** The origin of each dotted path of the tree, including mappings and lists. */
export function origins(node: Sourced, path = ''): Map<string, Origin> {
  const below =
    node.kind === 'list'
      ? node.items.flatMap((item, index) => [...origins(item, childPath(path, index))])
      : node.kind === 'mapping'
        ? [...node.fields].flatMap(([key, field]) => [...origins(field, childPath(path, key))])
        : [];
  return new Map([[path, node.origin], ...below]);
}

/** The origin of the path, or of the nearest container if the path does not exist. */
export function originOf(where: ReadonlyMap<string, Origin>, path: string): Origin | undefined {
  const origin = where.get(path);
  const holder = path.replace(/(\.?[^.[\]]+|\[\d+\])$/, '');
  return origin ?? (holder === path || holder === '' ? undefined : originOf(where, holder));
}
