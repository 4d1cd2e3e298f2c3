/** A statement under construction: collects the used columns and determines the joins for them. */
import { identifier } from '../../../../sql/quote.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { pathTo, type Step } from '../tables/joins.ts';

export interface Draft {
  base: Entity;
  /** Returns the column's name in the statement; undefined if its table can't be joined. */
  column(field: Field): string | undefined;
  /** Returns true once a column is used whose table has several rows per row of the base table. */
  repeats(): boolean;
  /** The intermediate tables of joins. If the question doesn't name them, the join may be wrong: products and stores are related in several ways. */
  bridges(): Entity[];
  /** Returns FROM with the joins. */
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
