/** Checks whether a database that was full has free space again. */
import type { Database } from './database.ts';

// About as much as a turn writes.
const ROWS = 64;
const ROW_CHARACTERS = 4_000;

/** Fills a table in a transaction that is rolled back. Its text does not compress. Rejects with STORAGE_FULL. */
const TRY = `CREATE TEMPORARY TABLE room ON COMMIT DROP AS
  SELECT string_agg(md5(row::text || '/' || part::text), '') AS text
  FROM generate_series(1, ${ROWS}) AS row, generate_series(1, ${ROW_CHARACTERS / 32}) AS part GROUP BY row`;

class Rollback extends Error {}

/** Does nothing unless a statement has failed with STORAGE_FULL. */
export async function assertSpace(database: Database): Promise<void> {
  if (!database.isFull()) return;
  await database
    .transaction(async (tx) => {
      await tx.run(TRY);
      throw new Rollback();
    })
    .catch((error) => {
      if (!(error instanceof Rollback)) throw error;
    });
  database.clearFull();
}
