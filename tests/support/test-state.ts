/** Where services of tests keep their state: in a file, or with SKEIN_TEST_STATE=postgresql in a database for each folder. */
import { freshDatabase } from './postgres-database.ts';

const databases = new Map<string, Promise<string>>();

/** Settings as environment variables. A folder that is used again has its database again. */
export async function stateEnv(folder: string): Promise<Record<string, string>> {
  if (process.env.SKEIN_TEST_STATE !== 'postgresql') return {};
  const known = databases.get(folder) ?? freshDatabase().then(({ url }) => url);
  databases.set(folder, known);
  return {
    SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
    SERVICE_CHAT_HISTORY__CONNECTION_STRING: await known,
    SERVICE_CHAT_HISTORY__POOL_SIZE: '4',
    // What a killed process ran goes on soon.
    SERVICE_CLUSTER__LEASE_SECONDS: '1',
  };
}
