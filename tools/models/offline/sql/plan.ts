/** Plans a statement from a parsed question: one that lists rows, or one that computes figures. */

import { figures } from './figures/figures.ts';
import { measuresOf } from './figures/measures.ts';
import type { Aggregate, Noun, Reading } from './question/reading.ts';
import { entitiesIn } from './statement/pick.ts';
import { rows } from './statement/rows.ts';
import { explained, written } from './statement/statement.ts';
import type { Entity, Field } from './tables/catalog.ts';

export type Planned = { sql: string; explanation: string } | { problem: string };

const FUNCTIONS: Partial<Record<Aggregate, string>> = {
  avg: 'average',
  median: 'median',
  min: 'minimum',
  max: 'maximum',
};

/** Finds a word that asks for an order or a figure, but has no effect on the statement, which would answer another question. */
function droppedWord(
  { aggregates, nouns, ranking, ranked, sorted }: Reading,
  sql: string,
): string | undefined {
  const missing = aggregates.find((each) => FUNCTIONS[each] && !sql.includes(`${each}(`));
  if (missing) return FUNCTIONS[missing];
  // "The highest price and the lowest cost" asks for figures of two columns, which is not supported.
  const [one, other] = aggregates;
  const columns = new Set(nouns.flatMap((noun) => (isNumber(noun) ? [noun.fields[0]?.called] : [])));
  if (other !== undefined && other !== one && columns.size > 1) return other;
  const [first, second] = ranked;
  if (second !== undefined && second !== first) return second;
  if (sorted && !/^ORDER BY /m.test(sql)) return 'sorted';
  return ranking && !/^ORDER BY /m.test(sql) && !/\b(?:min|max)\(/.test(sql) ? first : undefined;
}

/** Columns with the same name in several tables, if the question names none of these tables. */
function severalTables(field: Field | undefined, reading: Reading): string | undefined {
  if (!field || reading.sold || reading.groups.length > 0 || reading.named.length > 0) return undefined;
  const noun = reading.nouns.find((each) => isNumber(each) && each.fields.includes(field));
  if (!noun || !isNumber(noun) || entitiesIn(reading).length > 0) return undefined;
  const numbers = noun.fields.filter(({ role, called }) => role === 'number' && called === field.called);
  if (new Set(numbers.map(({ entity }) => entity)).size < 2) return undefined;
  return `several tables have a column ${field.name}: ${numbers.map(({ entity }) => entity.name).join(', ')}`;
}

function isNumber(noun: Noun): noun is Extract<Noun, { kind: 'field' }> {
  return noun.kind === 'field' && noun.fields.some(({ role }) => role === 'number');
}

export function plan(reading: Reading, entities: readonly Entity[]): Planned {
  const { unknown, nouns, named, groups, ranking } = reading;
  if (unknown.length > 0) {
    const words = unknown.map((word) => `"${word}"`).join(', ');
    return { problem: `I find nothing in the tables that matches ${words}` };
  }
  if (reading.problem !== undefined) return { problem: reading.problem };
  if (nouns.length + named.length + groups.length === 0 && !ranking?.counted && !reading.sold)
    return { problem: 'the question contains no table, column or value that I know' };
  const measures = measuresOf(reading, entities);
  if ('problem' in measures) return measures;
  const isByOwn = ranking?.by === 'price' || ranking?.by === 'date';
  const several = severalTables(measures[0]?.field, reading);
  if (several) return { problem: several };
  const parts =
    measures.length === 0 || (isByOwn && groups.length === 0)
      ? rows(reading, entities)
      : figures(reading, measures, entities);
  if ('problem' in parts) return parts;
  const spoken = entitiesIn(reading);
  const bridge = parts.draft.bridges().find((entity) => !spoken.includes(entity));
  if (bridge) return { problem: 'I cannot tell how to join the tables in the question' };
  const sql = written(parts);
  const dropped = droppedWord(reading, sql);
  if (dropped) return { problem: `I cannot tell which column "${dropped}" refers to` };
  return { sql, explanation: explained(parts) };
}
