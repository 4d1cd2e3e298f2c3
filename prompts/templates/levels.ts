/** How deep a parsed template is, counted without going down its levels one within the other. */

/** Levels of nodes; it stops to count where there are more than `most`. */
export function levelsOf(program: object, most: number): number {
  let level: object[] = [program];
  let levels = 0;
  while (level.length > 0 && levels <= most) {
    levels++;
    level = level.flatMap(childNodes);
  }
  return levels;
}

/** Lists and mappings of nodes are no level of their own. */
function childNodes(node: object): object[] {
  return Object.values(node).flatMap(nodesIn);
}

function nodesIn(value: unknown): object[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (value instanceof Map) return [...value].flatMap(nodesIn);
  return typeof value === 'object' && value !== null ? [value] : [];
}
