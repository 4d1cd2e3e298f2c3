/** How large a template's value is when it is written out: its characters, those of what it holds included. */

interface Value {
  type: string;
  value: unknown;
}

/** Lists and mappings do not change once they are made, so that each is weighed once, however often it is held. */
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
