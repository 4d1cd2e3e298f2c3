/** The columns by which a statement groups. */
import { identifier } from '../../../../sql/quote.ts';
import type { Noun, Period, Reading } from '../question/reading.ts';
import type { Draft } from '../statement/draft.ts';
import { dateOf, labelsOf, nearest } from '../statement/pick.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { keyOf } from '../tables/joins.ts';

export interface GroupColumns {
  select: string[];
  groupBy: string[];
  /** Periods are listed in their order. */
  isTime: boolean;
  words: string;
}

export function groupColumns(
  noun: Noun,
  { reading, draft, entities }: { reading: Reading; draft: Draft; entities: readonly Entity[] },
): GroupColumns | { problem: string } {
  if (noun.kind === 'period') return periodColumns(noun.period, { reading, draft, entities });
  const fields = noun.kind === 'entity' ? labelsOf(noun.entity) : [];
  const one = noun.kind === 'field' ? nearest(noun.fields, draft.base, entities) : undefined;
  const shown: Field[] = one ? [one] : fields;
  const key = noun.kind === 'entity' ? keyOf(noun.entity) : undefined;
  const select = shown.map((field) => draft.column(field)).filter((column) => column !== undefined);
  const groupBy = [...new Set([...(key ? [draft.column(key)] : []), ...select])].filter(
    (column) => column !== undefined,
  );
  if (select.length === 0)
    return { problem: `no join connects ${draft.base.name} with the columns to group by` };
  return {
    select,
    groupBy,
    isTime: false,
    words: `per ${shown.map(({ entity, name }) => `${entity.name}.${name}`).join(' and ')}`,
  };
}

const PERIODS: Record<Period, (column: string) => string> = {
  year: (column) => `year(${column})`,
  quarter: (column) => `concat(year(${column}), '-Q', quarter(${column}))`,
  month: (column) => `strftime(${column}, '%Y-%m')`,
  week: (column) => `strftime(${column}, '%G-W%V')`,
  day: (column) => `CAST(${column} AS DATE)`,
  weekday: (column) => `dayname(${column})`,
};

function periodColumns(
  period: Period,
  { reading, draft, entities }: { reading: Reading; draft: Draft; entities: readonly Entity[] },
): GroupColumns | { problem: string } {
  const date = dateOf(draft.base, reading, entities);
  const column = date && draft.column(date);
  if (!date || !column) return { problem: `the table ${draft.base.name} has no date` };
  if (date.role === 'number' && period !== 'year')
    return { problem: `${date.entity.name}.${date.name} has only years` };
  const expression = date.role === 'number' ? column : PERIODS[period](column);
  return {
    select: [`${expression} AS ${identifier(period)}`],
    groupBy: [expression],
    isTime: period !== 'weekday',
    words: `per ${period} of ${date.entity.name}.${date.name}`,
  };
}
