/** What a thread still asks on SQLite. */
import type { Database } from 'bun:sqlite';
import { stillAsked as asked, type StoredInterrupt } from '../../driver/still-asked.ts';

/** Inside a transaction: gives the thread's interrupt after the run, as it is stored; null where nobody asks at the head. */
export function stillAsked(db: Database) {
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
    const interrupt = asked(writes, before, asking);
    return interrupt && JSON.stringify(interrupt);
  };
}
