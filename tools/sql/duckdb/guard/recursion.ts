/** Rejects queries with WITH RECURSIVE that could only run until the time limit. */

import type { Refusal } from '../../refusal.ts';
import type { Node } from '../catalog.ts';

/**
 * A UNION ends when a step adds no new row, and a condition or a join can leave a step without rows. Without any of these, the
 * recursion never ends. Whether a condition ends it is undecidable, so the limits of time and memory end the other cases.
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
