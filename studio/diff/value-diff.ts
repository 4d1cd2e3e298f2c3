/** Finds the differences between two JSON values. */

export interface ValueChange {
  /** From the root: names, and the ids or indexes of list items. */
  path: string[];
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}

/** Further changes are omitted. */
export const MAX_CHANGES = 300;

export function valueDiff(before: unknown, after: unknown): ValueChange[] {
  const changes: ValueChange[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: unknown, after: unknown, path: string[], changes: ValueChange[]): void {
  if (changes.length >= MAX_CHANGES || before === after) return;
  const [old, now] = [partsOf(before), partsOf(after)];
  if (!old || !now || Array.isArray(before) !== Array.isArray(after)) {
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    if (!isSame) changes.push({ path, kind: kindOf(before, after), before, after });
    return;
  }
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    compare(old.get(name), now.get(name), [...path, name], changes);
  }
}

function kindOf(before: unknown, after: unknown): ValueChange['kind'] {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

/**
 * The entries of an object or a list; otherwise undefined. If all items have an id, they are matched by it, so that an
 * insertion doesn't change the others.
 */
function partsOf(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const ids = value.map((item) => (item as { id?: unknown } | null)?.id);
  const named = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
  return new Map(value.map((item, index) => [named ? String(ids[index]) : String(index), item]));
}
