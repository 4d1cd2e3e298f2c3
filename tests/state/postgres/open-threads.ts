/** A state on an empty PostgreSQL database, with a second connection for looking into its tables. */
import { openDatabase } from '../../../state/postgres/database/database.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';

export async function openThreads() {
  const { state, url, another, close } = await openedPostgres();
  const database = openDatabase({ url, size: 4, timeoutMs: 10_000 });
  return {
    database,
    state,
    another,
    async close() {
      await database.close();
      await close();
    },
  };
}
