/** Sets single values by path, as environment variables and flags do; list entries by index. */
import type { TSchema } from '@sinclair/typebox';
import { configurationError } from '../state/errors.ts';
import { convertText } from '../state/schema/convert-text.ts';
import { childPath, childSchema } from '../state/schema/walk-schema.ts';
import { Settings } from './schema.ts';
import { type Mapping, merge, type Origin, type Sourced, sourced, withField } from './sourced.ts';

export interface Assignment {
  /** Field names, and indices as digits. */
  keys: readonly string[];
  text: string;
  origin: Origin;
}

export function assign(root: Mapping, { keys, text, origin }: Assignment): Mapping {
  const schema = keys.reduce<TSchema | undefined>((at, key) => childSchema(at, step(key)), Settings);
  const value = sourced(convertText(schema, text), origin);
  const [block = '', ...rest] = keys;
  return withField(root, block, setAt(root.fields.get(block), { keys: rest, path: block, value }));
}

interface Setting {
  keys: readonly string[];
  path: string;
  value: Sourced;
}

function setAt(node: Sourced | undefined, { keys, path, value }: Setting): Sourced {
  const [head, ...rest] = keys;
  if (head === undefined) return merge(node, value);
  const key = step(head);
  const below = { keys: rest, path: childPath(path, key), value };
  const origin = node?.origin ?? value.origin;
  if (typeof key === 'string') {
    const fields = new Map(node?.kind === 'mapping' ? node.fields : []);
    return { kind: 'mapping', fields: fields.set(key, setAt(fields.get(key), below)), origin };
  }
  const items = node?.kind === 'list' ? [...node.items] : [];
  if (key > items.length) throw gapError(below, items.length);
  items[key] = setAt(items[key], below);
  return { kind: 'list', items, origin };
}

function step(key: string): string | number {
  return /^\d+$/.test(key) ? Number(key) : key;
}

function gapError({ path, value }: Setting, length: number) {
  const reason = `the list has ${length} entries, so the next index is ${length}`;
  return configurationError(path, `${reason} (${value.origin.source})`);
}
