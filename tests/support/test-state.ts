/** The state of test services: a file, or with SKEIN_TEST_STATE=postgresql a database per folder. */
import { join } from 'node:path';
import { freshDatabase } from './postgres-database.ts';

/** If set, skip tests of the SQLite file. */
export const ON_POSTGRES = process.env.SKEIN_TEST_STATE === 'postgresql';

/** Preload this file to kill the process at the transaction that the file `kill-at` selects. */
export const KILL_AT = join(import.meta.dir, ON_POSTGRES ? 'kill-at-transaction.ts' : 'kill-at-commit.ts');

const databases = new Map<string, Promise<string>>();

/** A reused folder keeps its database. */
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
    // Short, so that runs of a killed process continue soon.
    SERVICE_CLUSTER__LEASE_SECONDS: '1',
  };
}
