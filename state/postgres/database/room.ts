/** Whether a database that had no room has some again. */
import type { Database } from './database.ts';

// As much as a turn writes.
const ROWS = 64;
const ROW_CHARACTERS = 4_000;

/** A table that is never committed takes the room; its text does not compress. Rejects with STORAGE_FULL. */
const TRY = `CREATE TEMPORARY TABLE room ON COMMIT DROP AS
  SELECT string_agg(md5(row::text || '/' || part::text), '') AS text
  FROM generate_series(1, ${ROWS}) AS row, generate_series(1, ${ROW_CHARACTERS / 32}) AS part GROUP BY row`;

class Undone extends Error {}

/** Does nothing unless a statement failed before. */
export async function assertRoom(database: Database): Promise<void> {
  if (!database.lacksRoom()) return;
  await database
    .transaction(async (tx) => {
      await tx.run(TRY);
      throw new Undone();
    })
    .catch((error) => {
      if (!(error instanceof Undone)) throw error;
    });
  database.foundRoom();
}
