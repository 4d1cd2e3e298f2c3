/** Groups the values of a question by column: rows may have any of them or, if the values are excluded, none. */

import type { Named } from '../question/reading.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { pathTo } from '../tables/joins.ts';
import { nearest } from './pick.ts';

export interface Group {
  fields: Field[];
  named: Named[];
  negated: boolean;
  /** Whether there is an "or" between values of different columns. */
  isUnclear?: boolean;
}

/** "Berlin and Hamburg" are two values of one column, and rows may have either of them. */
export function byColumn(named: readonly Named[], base: Entity, entities: readonly Entity[]): Group[] {
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const each of named) {
    const fields = each.known
      ? [nearest(each.fields, base, entities)].filter((field) => field !== undefined)
      : reachable(each.fields, base, entities);
    const before = last;
    const listed = each.also && before?.fields.some((field) => fields.includes(field)) ? before : undefined;
    const negated = each.negated === true || listed?.negated === true;
    const same = listed ?? groups.find((group) => group.negated === negated && group.fields[0] === fields[0]);
    if (same && (each.known || listed)) {
      same.named.push({ ...each, fields, negated });
      same.fields = [...new Set([...same.fields, ...fields])];
      last = same;
      continue;
    }
    last = { fields, named: [{ ...each, fields, negated }], negated, isUnclear: each.also === 'or' };
    groups.push(last);
  }
  return groups;
}

/** The columns that may contain a value. Tables with several rows per row of the base only count if there are no others. */
function reachable(fields: readonly Field[], base: Entity, entities: readonly Entity[]): Field[] {
  const ways = fields.flatMap((field) => {
    const path = pathTo(base, field.entity, entities);
    return path ? [{ field, isSafe: path.isSafe }] : [];
  });
  const safe = ways.filter(({ isSafe }) => isSafe);
  return (safe.length > 0 ? safe : ways).map(({ field }) => field);
}
