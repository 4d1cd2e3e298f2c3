/** WITH RECURSIVE: rejects queries that could only run until the deadline. */
import type { Node } from './catalog.ts';
import type { Refusal } from './refusal.ts';

/**
 * UNION ends when a step adds no new row, and a condition or a join can leave a step without rows. A step with neither
 * never ends. Whether a condition ends it is undecidable: the deadline or the memory limit ends the rest.
 */
export function endlessRecursion({ union_all, right }: Node): Refusal | undefined {
  if (union_all === false || hasCondition(right)) return undefined;
  return {
    rule: 'recursion_not_allowed',
    reason:
      'This recursion never ends: its recursive SELECT needs a WHERE that ends it, or a join on a column',
  };
}

const CONDITIONS = ['where_clause', 'having', 'qualify', 'condition'];

function hasCondition(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const node = value as Node;
  if (CONDITIONS.some((name) => typeof node[name] === 'object' && node[name] !== null)) return true;
  if (Array.isArray(node.using_columns) && node.using_columns.length > 0) return true;
  return node.ref_type === 'NATURAL' || Object.values(node).some(hasCondition);
}
