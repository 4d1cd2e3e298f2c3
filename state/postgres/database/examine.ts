/** Examines a database without changing it, for the check of the settings. */
import { openDatabase } from './database.ts';
import { assertKnown } from './migrate.ts';
import { refusalOf } from './open-migrated.ts';

export interface Examined {
  /** Why the service cannot use the database, in the words of the startup error. */
  problem?: string;
  /** The version of PostgreSQL. */
  version?: string;
  bytes?: number;
  /** Whether the schema exists. */
  isMade?: boolean;
}

const TIMEOUT_MS = 5_000;

interface Row {
  version: string;
  bytes: number;
  made: boolean;
  may: boolean;
}

const EXAMINE = `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
  to_regclass('skein.migrations') IS NOT NULL AS made,
  has_database_privilege(current_database(), 'CREATE') AS may`;

export async function examinePostgres(url: string): Promise<Examined> {
  const database = openDatabase({ url, size: 1, timeoutMs: TIMEOUT_MS });
  try {
    const row = await database.get<Row>(EXAMINE);
    if (!row) throw new Error('The query returned no row');
    const { version, bytes, made: isMade, may } = row;
    if (!isMade && !may) return { problem: 'the user may not create the schema "skein"' };
    if (isMade) {
      const newest = await database.get<{ version: number }>(
        'SELECT max(version) AS version FROM skein.migrations',
      );
      assertKnown(newest?.version ?? 0);
    }
    return { version, bytes, isMade };
  } catch (error) {
    return { problem: refusalOf(error) };
  } finally {
    await database.close();
  }
}
