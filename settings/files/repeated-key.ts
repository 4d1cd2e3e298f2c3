/** Finds a key that appears twice in a YAML mapping. Bun's parser silently uses the last one. */

export interface RepeatedKey {
  key: string;
  /** Counted from 1. */
  line: number;
  /** The line of its first occurrence in the mapping. */
  first: number;
}

const QUOTED = /"(?:[^"\\\n]|\\.)*"(?=\s*:)|'(?:[^'\n]|'')*'(?=\s*:)/;
const PLAIN = /[^\s,{}[\]#&*!|>'"%@`:-][^,{}[\]#:\n]*?(?=\s*:(?:[\s,}\]]|$))/;
const KEYS = new RegExp(`(?<=^|[\\s,{[-])(?:${QUOTED.source}|${PLAIN.source})`, 'gm');

/** The merge key, which may appear more than once in a mapping. */
const MERGE = '<<';

/**
 * The first repeated key in valid YAML. Renames everything that looks like a key to a unique name, so that the parser keeps all
 * keys of a mapping. Text that only looks like a key does not become a key of a parsed mapping.
 */
export function repeatedKey(text: string): RepeatedKey | undefined {
  const prefix = `k${Bun.randomUUIDv7('hex')}-`;
  const found: { key: string; line: number }[] = [];
  const renamed = text.replace(KEYS, (written, at: number) => {
    const line = text.slice(0, at).split('\n').length;
    const name = prefix + (found.push({ key: keyOf(written), line }) - 1);
    return /^["']/.test(written) ? `"${name}"` : name;
  });
  const keyNamed = (name: string) =>
    name.startsWith(prefix) ? (found[Number(name.slice(prefix.length))] ?? []) : [];
  const keysOf = (mapping: object) => Object.keys(mapping).flatMap(keyNamed);
  return mappingsIn(parsed(renamed))
    .map((mapping) => repeatedOf(keysOf(mapping)))
    .filter((repeated) => repeated !== undefined)
    .sort((a, b) => a.line - b.line)[0];
}

function repeatedOf(keys: { key: string; line: number }[]): RepeatedKey | undefined {
  const lines = new Map<string, number>();
  for (const { key, line } of keys) {
    const first = lines.get(key);
    if (first !== undefined && key !== MERGE) return { key, line, first };
    lines.set(key, line);
  }
  return undefined;
}

function keyOf(written: string): string {
  return String(parsed(written));
}

function parsed(text: string): unknown {
  try {
    return Bun.YAML.parse(text);
  } catch {
    return undefined;
  }
}

/** An alias is the same object as its mapping, so each object is visited only once. */
function mappingsIn(node: unknown, seen = new Set<object>()): object[] {
  if (typeof node !== 'object' || node === null || seen.has(node)) return [];
  seen.add(node);
  const below = Object.values(node).flatMap((field) => mappingsIn(field, seen));
  return Array.isArray(node) ? below : [node, ...below];
}
