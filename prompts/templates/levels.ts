/** Counts the nesting levels of a parsed template without recursion. */

/** Levels of nodes; stops counting above `most`. */
export function levelsOf(program: object, most: number): number {
  let level: object[] = [program];
  let levels = 0;
  while (level.length > 0 && levels <= most) {
    levels++;
    level = level.flatMap(childNodes);
  }
  return levels;
}

/** Lists and mappings of nodes don't count as levels. */
function childNodes(node: object): object[] {
  return Object.values(node).flatMap(nodesIn);
}

function nodesIn(value: unknown): object[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (value instanceof Map) return [...value].flatMap(nodesIn);
  return typeof value === 'object' && value !== null ? [value] : [];
}
