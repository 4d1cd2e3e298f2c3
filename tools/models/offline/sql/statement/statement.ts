/** The parts of a statement, and its text. */
import type { Draft } from './draft.ts';

/** The parts of a statement. */
export interface Parts {
  draft: Draft;
  distinct?: boolean;
  select: string[];
  where: string[];
  groupBy?: string[];
  having?: string[];
  orderBy?: string[];
  limit?: number | undefined;
  /** What the statement does, in words. */
  words: string[];
}

export function written({ draft, distinct, select, where, groupBy, having, orderBy, limit }: Parts): string {
  const listed = (keyword: string, items: string[] | undefined, separator: string) =>
    items && items.length > 0 ? [`${keyword} ${items.join(separator)}`] : [];
  return [
    `SELECT ${distinct ? 'DISTINCT ' : ''}${select.join(', ')}`,
    draft.from(),
    ...listed('WHERE', where, ' AND '),
    ...listed('GROUP BY', groupBy, ', '),
    ...listed('HAVING', having, ' AND '),
    ...listed('ORDER BY', orderBy, ', '),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join('\n');
}

export function explained({ words }: Parts): string {
  return `Written by rules: ${words.join('; ')}.`;
}
