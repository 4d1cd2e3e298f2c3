/** Builds the list of a server's tables from its catalog. The list is limited, so that it fits into a prompt. */
import type { Listing } from './session.ts';

export const MAX_TABLES = 100;
/** The maximum number of columns per table. */
export const MAX_COLUMNS = 60;
const MAX_ALL_COLUMNS = 1_500;
const MAX_TYPE = 200;

/** Column order of `rows`: database, schema, table, estimated rows, column, type. */
export function listingOf(rows: (string | null)[][]): Listing {
  const path = (rows[0]?.slice(0, 2) ?? []).filter((part) => part !== null && part !== '') as string[];
  const tables = new Map<string, Listing['tables'][number]>();
  let count = 0;
  for (const [, , name, guess, column, type] of rows) {
    const table = tables.get(name ?? '') ?? { name: name ?? '', rows: numberOf(guess), columns: [] };
    if (table.columns.length >= MAX_COLUMNS || count >= MAX_ALL_COLUMNS) continue;
    count++;
    table.columns.push({ name: column ?? '', type: (type ?? '').slice(0, MAX_TYPE) });
    tables.set(table.name, table);
  }
  return { path, tables: [...tables.values()] };
}

function numberOf(guess: string | null | undefined): number | undefined {
  return guess === null || guess === undefined ? undefined : Number(guess);
}
