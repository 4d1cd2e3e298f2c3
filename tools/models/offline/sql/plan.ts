/** From what was understood to a statement: one that gives rows, or one that gives figures. */
import type { Entity } from './catalog.ts';
import { figures } from './figures.ts';
import { measuresOf } from './measures.ts';
import { entitiesIn } from './pick.ts';
import type { Reading } from './reading.ts';
import { rows } from './rows.ts';
import { explained, written } from './statement.ts';

export type Planned = { sql: string; explanation: string } | { problem: string };

export function plan(reading: Reading, entities: readonly Entity[]): Planned {
  const { unknown, nouns, named, groups, ranking } = reading;
  if (unknown.length > 0) {
    const words = unknown.map((word) => `"${word}"`).join(', ');
    return { problem: `I find nothing in the tables that ${words} could mean` };
  }
  if (reading.problem !== undefined) return { problem: reading.problem };
  if (nouns.length + named.length + groups.length === 0 && !ranking?.counted && !reading.sold)
    return { problem: 'the question names no table, column or value that I know' };
  const measures = measuresOf(reading, entities);
  if ('problem' in measures) return measures;
  const isByOwn = ranking?.by === 'price' || ranking?.by === 'date';
  const parts =
    measures.length === 0 || (isByOwn && groups.length === 0)
      ? rows(reading, entities)
      : figures(reading, measures, entities);
  if ('problem' in parts) return parts;
  const spoken = entitiesIn(reading);
  const bridge = parts.draft.bridges().find((entity) => !spoken.includes(entity));
  if (bridge) return { problem: 'I cannot tell in which way the tables that it speaks of are to be joined' };
  return { sql: written(parts), explanation: explained(parts) };
}
