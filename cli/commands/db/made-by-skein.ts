/** Detects whether Skein created a database or the user did. */

import type { SqlCell } from '../../../tools/sql/engine.ts';
import { createSampleDatabase } from '../../../tools/sql/sample/create.ts';
import { MARK } from '../../../tools/sql/sample/mark.ts';
import { type DuckDBFile, openDuckDB } from './duckdb-file.ts';

/** `spare` is an unused path. Throws if the file cannot be opened. */
export async function isMadeBySkein(path: string, spare: string): Promise<boolean> {
  const { schemas, objects } = await contentsOf(path);
  if (schemas.includes(MARK)) return true;
  if (schemas.length > 0) return false;
  // Sample data of earlier versions has no mark: recognise it by the sample's tables and nothing else.
  await createSampleDatabase(spare);
  return Bun.deepEquals(objects, (await contentsOf(spare)).objects);
}

export async function markAsMadeBySkein(database: DuckDBFile): Promise<void> {
  await database.rows(`CREATE SCHEMA ${MARK}`);
}

interface Contents {
  schemas: string[];
  /** Definitions of tables, views, indexes and sequences, and names of functions and types. */
  objects: SqlCell[][];
}

const OWN = 'database_name = current_database() AND NOT internal';

async function contentsOf(path: string): Promise<Contents> {
  const database = await openDuckDB(path, { mode: 'READ_ONLY' });
  try {
    const schemas = await database.rows(
      `SELECT schema_name FROM system.main.duckdb_schemas() WHERE ${OWN} AND schema_name <> 'main'`,
    );
    const objects = await database.rows(
      `SELECT sql FROM system.main.duckdb_tables() WHERE ${OWN}
       UNION ALL SELECT sql FROM system.main.duckdb_views() WHERE ${OWN}
       UNION ALL SELECT function_name FROM system.main.duckdb_functions() WHERE ${OWN}
       UNION ALL SELECT type_name FROM system.main.duckdb_types() WHERE ${OWN}
       UNION ALL SELECT sql FROM system.main.duckdb_indexes() WHERE database_name = current_database()
       UNION ALL SELECT sql FROM system.main.duckdb_sequences() WHERE database_name = current_database()
       ORDER BY 1`,
    );
    return { schemas: schemas.map(([name]) => String(name)), objects };
  } finally {
    database.close();
  }
}
