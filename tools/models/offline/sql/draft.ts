/** A statement in the making: it is told which columns are used, and knows what must be joined for them. */
import { identifier } from '../../../sql/quote.ts';
import type { Entity, Field } from './catalog.ts';
import { pathTo, type Step } from './joins.ts';

export interface Draft {
  base: Entity;
  /** The column's name in the statement; undefined where no way leads to its table. */
  column(field: Field): string | undefined;
  /** True once a column was used whose table has many rows for one of the base's. */
  repeats(): boolean;
  /** A table in between that nothing but its place chose: products and stores hang together in several ways. */
  bridges(): Entity[];
  /** FROM with its joins. */
  from(): string;
}

export function draft(base: Entity, entities: readonly Entity[]): Draft {
  const steps: Step[] = [];
  let repeats = false;
  const bridges: Entity[] = [];
  return {
    base,
    column(field) {
      const path = pathTo(base, field.entity, entities);
      if (!path) return undefined;
      if (!path.isSafe) {
        repeats = true;
        const between = path.steps.slice(0, -1).map(({ to }) => to.entity);
        const isChoice = (bridge: Entity) =>
          pathTo(
            base,
            field.entity,
            entities.filter((entity) => entity !== bridge),
          ) !== undefined;
        bridges.push(...between.filter(isChoice));
      }
      for (const step of path.steps) {
        if (!steps.some(({ to }) => to.entity === step.to.entity)) steps.push(step);
      }
      return qualified(field);
    },
    repeats: () => repeats,
    bridges: () => bridges,
    from: () =>
      [
        `FROM ${identifier(base.name)}`,
        ...steps.map(
          ({ from, to }) => `JOIN ${identifier(to.entity.name)} ON ${qualified(to)} = ${qualified(from)}`,
        ),
      ].join('\n'),
  };
}

function qualified({ entity, name, isTextDate }: Field): string {
  const column = `${identifier(entity.name)}.${identifier(name)}`;
  return isTextDate ? `CAST(${column} AS DATE)` : column;
}
