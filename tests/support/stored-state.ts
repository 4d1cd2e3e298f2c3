/** Queries the state's database of a folder while services use it, in SQL that both drivers understand. */
import { join } from 'node:path';
import { SQL } from 'bun';
import { ON_POSTGRES, stateUrl } from './test-state.ts';

const INT8 = 20;

type Rows = Record<string, unknown>[] & { columns?: { name: string; type: number }[] };

/** Queries or changes rows. The values are `$1`, `$2`, ... */
export async function askState<Row>(
  folder: string,
  text: string,
  ...values: (string | number | null)[]
): Promise<Row[]> {
  const sql = new SQL(await optionsOf(folder));
  try {
    const rows: Rows = await sql.unsafe(text, values);
    const long = rows.columns?.filter(({ type }) => type === INT8) ?? [];
    for (const row of rows)
      for (const { name } of long) if (row[name] !== null) row[name] = Number(row[name]);
    return rows as Row[];
  } finally {
    await sql.close();
  }
}

/** The names of the tables. */
export async function tablesOf(folder: string): Promise<string[]> {
  const rows = await askState<{ name: string }>(
    folder,
    ON_POSTGRES
      ? `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'skein'`
      : `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  );
  return rows.map(({ name }) => name).toSorted();
}

async function optionsOf(folder: string): Promise<SQL.Options> {
  if (!ON_POSTGRES) return { adapter: 'sqlite', filename: join(folder, '.tmp', 'skein.db') };
  return { url: await stateUrl(folder), max: 1, connection: { search_path: 'skein' } };
}
