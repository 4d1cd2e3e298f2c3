/** The figures that a statement can compute: of a column, of a business term, or of the rows of a table. */

import type { Aggregate } from '../question/reading.ts';
import type { Draft } from '../statement/draft.ts';
import type { Figure } from '../tables/business.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { keyOf } from '../tables/joins.ts';

export interface Measure {
  base: Entity;
  /** The name of the figure's column in the result. */
  name: string;
  /** The figure in words, for the explanation. */
  words: string;
  isAverage?: boolean;
  /** The column, if the figure is that of one column. */
  field?: Field;
  /** What the figure counts: rows of a table, or different values of a column. */
  counts?: Entity | Field;
  sql(draft: Draft): string | undefined;
}

export function ofField(field: Field, aggregate: Aggregate): Measure {
  return {
    base: field.entity,
    name: `${aggregate}_${field.name}`,
    words: `${WORDS[aggregate]} of ${field.entity.name}.${field.name}`,
    field,
    isAverage: aggregate === 'avg' || aggregate === 'median',
    sql: (draft) => wrapped(aggregate, draft.column(field)),
  };
}

const WORDS: Record<Aggregate, string> = {
  sum: 'the sum',
  avg: 'the average',
  min: 'the lowest',
  max: 'the highest',
  count: 'the number',
  median: 'the median',
};

function wrapped(aggregate: Aggregate, column: string | undefined): string | undefined {
  return column === undefined ? undefined : `${aggregate}(${column})`;
}

export function ofFigure({ base, terms, name }: Figure, aggregate: Aggregate): Measure {
  const [term] = terms;
  const sql = (draft: Draft) => {
    if (!term) return 'count(*)';
    const [first, second] = term.factors.map((field) => draft.column(field));
    const minus = term.minus && draft.column(term.minus);
    if (!first || (term.factors.length > 1 && !second) || (term.minus && !minus)) return undefined;
    const last = second ?? first;
    const value = minus ? `(${last} - ${minus})` : last;
    return `${aggregate}(${second ? `${first} * ${value}` : value})`;
  };
  const parts = term?.factors.map((field) => `${field.entity.name}.${field.name}`).join(' times ');
  const minus = term?.minus ? ` minus ${term.minus.entity.name}.${term.minus.name}` : '';
  const words = parts
    ? `${name.replaceAll('_', ' ')} (${WORDS[aggregate]} of ${parts}${minus})`
    : `the number of rows of ${base.name}`;
  return {
    base,
    name: aggregate === 'sum' ? name : `${aggregate}_${name}`,
    words,
    isAverage: aggregate !== 'sum',
    sql,
  };
}

export function ofRows(entity: Entity): Measure {
  return {
    base: entity,
    name: `number_of_${entity.name.toLowerCase()}`,
    words: `the number of ${entity.name}`,
    counts: entity,
    sql: (draft) => {
      const key = keyOf(entity);
      return draft.repeats() && key ? `count(DISTINCT ${draft.column(key)})` : 'count(*)';
    },
  };
}

/** The number of different values of a column. */
export function ofValues(field: Field): Measure {
  return {
    base: field.entity,
    name: `number_of_${field.name}`,
    words: `the number of different values of ${field.entity.name}.${field.name}`,
    counts: field,
    sql: (draft) => `count(DISTINCT ${draft.column(field)})`,
  };
}
