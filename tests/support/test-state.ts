/** Where services of tests keep their state: in a file, or with SKEIN_TEST_STATE=postgresql in a database for each folder. */
import { join } from 'node:path';
import { freshDatabase } from './postgres-database.ts';

/** A reason to skip what is about the file of SQLite itself. */
export const ON_POSTGRES = process.env.SKEIN_TEST_STATE === 'postgresql';

/** Preloaded into a service, it ends the process around the transaction that the file `kill-at` names. */
export const KILL_AT = join(import.meta.dir, ON_POSTGRES ? 'kill-at-transaction.ts' : 'kill-at-commit.ts');

const databases = new Map<string, Promise<string>>();

/** A folder that is used again has its database again. */
export function stateUrl(folder: string): Promise<string> {
  const known = databases.get(folder) ?? freshDatabase().then(({ url }) => url);
  databases.set(folder, known);
  return known;
}

/** Settings as environment variables. */
export async function stateEnv(folder: string): Promise<Record<string, string>> {
  if (!ON_POSTGRES) return {};
  return {
    SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
    SERVICE_CHAT_HISTORY__CONNECTION_STRING: await stateUrl(folder),
    SERVICE_CHAT_HISTORY__POOL_SIZE: '4',
    // What a killed process ran goes on soon.
    SERVICE_CLUSTER__LEASE_SECONDS: '1',
  };
}
