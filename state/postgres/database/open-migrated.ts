/** Connects to the database at a start, and brings its tables up to date. */
import { configurationError, isUnavailable } from '../../errors.ts';
import { type Database, type DatabaseOptions, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

const FIELD = 'chat_history.connection_string';
/** For so long the database is tried at the start. */
const START_MS = 15_000;
const RETRY_MS = 250;

/** Throws CONFIGURATION_ERROR when the database cannot be reached or used. */
export async function openMigrated(options: DatabaseOptions): Promise<Database> {
  const database = openDatabase(options);
  try {
    await migrated(database, Date.now() + START_MS);
    return database;
  } catch (cause) {
    await database.close();
    throw configurationError(FIELD, `the database cannot be used: ${reasonOf(cause)}`);
  }
}

async function migrated(database: Database, until: number): Promise<void> {
  for (;;) {
    try {
      await migrate(database);
      return;
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > until) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}

/** The cause says what PostgreSQL said, which has no password. */
function reasonOf(error: unknown): string {
  const cause = isUnavailable(error) ? (error as Error).cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
