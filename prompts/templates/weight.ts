/** The size of a template's value when rendered: its characters, including nested values. */

interface Value {
  type: string;
  value: unknown;
}

/** Lists and mappings are immutable, so each is measured once, however often it is referenced. */
export function weigher(): (value: Value) => number {
  const known = new WeakMap<object, number>();

  return function weigh(value: Value): number {
    if (typeof value.value === 'string') return value.value.length;
    if (typeof value.value !== 'object' || value.value === null) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    let weight = 1;
    if (Array.isArray(value.value)) for (const each of value.value) weight += 1 + weigh(each ?? NOTHING);
    else if (value.value instanceof Map)
      for (const [key, each] of value.value) weight += key.length + 1 + weigh(each);
    known.set(value, weight);
    return weight;
  };
}

const NOTHING: Value = { type: 'UndefinedValue', value: undefined };
