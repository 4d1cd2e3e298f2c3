/** The open interrupts of a thread on SQLite. */
import type { Database } from 'bun:sqlite';
import { type StoredInterrupt, openInterrupts as toInterrupt } from '../../driver/open-interrupts.ts';

/**
 * Returns a function that returns the stored form of the thread's interrupt after a run; null if no task at the head has an
 * open one. Must be called inside a transaction.
 */
export function openInterrupts(db: Database) {
  const ofTasks = db.query<{ writes: string }, [string, string]>(
    `SELECT writes FROM checkpoint_writes WHERE thread = ? AND ns = '' AND id = ? ORDER BY task`,
  );
  const stored = db.query<{ interrupt: string | null }, [string]>(
    'SELECT interrupt FROM threads WHERE key = ?',
  );

  return (
    thread: string,
    head: string | null,
    asking: Omit<StoredInterrupt, 'interrupts'>,
  ): string | null => {
    const writes = head === null ? [] : ofTasks.all(thread, head).map((row) => row.writes);
    if (writes.length === 0) return null;
    const before: StoredInterrupt | null = JSON.parse(stored.get(thread)?.interrupt ?? 'null');
    const interrupt = toInterrupt(writes, before, asking);
    return interrupt && JSON.stringify(interrupt);
  };
}
