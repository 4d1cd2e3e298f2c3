/** How tables are related: foreign keys guessed from column names, and the shortest join path between two tables. */
import { stem } from '../../language/text.ts';
import type { Entity, Field } from './catalog.ts';

export interface Step {
  from: Field;
  to: Field;
}

export interface Path {
  steps: Step[];
  /** Whether every step joins at most one row, so that nothing is counted twice. */
  isSafe: boolean;
}

/** Finds the shortest join path between two tables. Prefers a path that repeats no rows. */
export function pathTo(from: Entity, to: Entity, entities: readonly Entity[]): Path | undefined {
  const steps = search(from, to, entities, (entity, other) => forward(entity, other));
  if (steps) return { steps, isSafe: true };
  const any = search(
    from,
    to,
    entities,
    (entity, other) => forward(entity, other) ?? backward(entity, other),
  );
  return any && { steps: any, isSafe: false };
}

type Link = (from: Entity, to: Entity) => Step | undefined;

function search(from: Entity, to: Entity, entities: readonly Entity[], link: Link): Step[] | undefined {
  const ways = new Map<Entity, Step[]>([[from, []]]);
  for (const [entity, steps] of ways) {
    if (entity === to) return steps;
    for (const other of entities) {
      const step = ways.has(other) ? undefined : link(entity, other);
      if (step) ways.set(other, [...steps, step]);
    }
  }
  return undefined;
}

/**
 * The foreign key from one table to another: `sales.store_id` refers to `stores.store_id` or `stores.id`, never to a column
 * with the same name in a third table.
 */
function forward(from: Entity, to: Entity): Step | undefined {
  const key = keyOf(to);
  if (!key || from === to || singular(to) === '') return undefined;
  const wanted = singular(to);
  const field = from.fields.find(
    ({ role, stems }) => role === 'key' && stems.length > 1 && stems.slice(0, -1).join(' ').endsWith(wanted),
  );
  return field && field !== keyOf(from) ? { from: field, to: key } : undefined;
}

function backward(from: Entity, to: Entity): Step | undefined {
  const step = forward(to, from);
  return step && { from: step.to, to: step.from };
}

/** The primary key of a table: `id`, or the table's name with `id`. */
export function keyOf(entity: Entity): Field | undefined {
  const own = singular(entity);
  return entity.fields.find(
    ({ role, stems }) => role === 'key' && (stems.length === 1 || stems.slice(0, -1).join(' ') === own),
  );
}

function singular({ stems }: Entity): string {
  return stems.filter((each) => !PREFIXES.has(each)).join(' ');
}

const PREFIXES = new Set(['dim', 'fact', 'tbl', 'table'].map(stem));
