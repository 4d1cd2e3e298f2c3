/** Rows of threads: their columns, SQL conditions of each status, and the lock for changes. */
import type { ThreadRow } from '../../driver/rows.ts';
import type { Statements } from '../database/database.ts';

// Without `interrupt_writes`, which may be long and is only needed to restore the writes.
const COLUMNS = [
  ...[
    'key',
    'owner',
    'thread_id',
    'title',
    'workflow',
    'head',
    'interrupt',
    'memory',
    'message_count',
    'keeps_all',
  ],
  ...['created_at', 'updated_at'],
];
const STORED = ['metadata', 'failed', 'parent', 'parent_checkpoint', 'ttl', 'ttl_strategy', 'ttl_since'];

const columnsOf = (names: string[]) => names.map((name) => `t.${name}`).join(', ');

const BUSY = 'EXISTS (SELECT FROM skein.runs AS r WHERE r.thread = t.key AND r.finished_at IS NULL)';

/** The columns of a ThreadRow. */
export const THREAD = columnsOf(COLUMNS);
/** The columns of a StoredThreadRow. */
export const STORED_THREAD = `${columnsOf([...COLUMNS, ...STORED])}, ${BUSY} AS busy`;

export const CONDITIONS = {
  idle: `t.failed = 0 AND t.interrupt IS NULL AND NOT ${BUSY}`,
  busy: BUSY,
  interrupted: `t.interrupt IS NOT NULL AND NOT ${BUSY}`,
  error: `t.failed = 1 AND t.interrupt IS NULL AND NOT ${BUSY}`,
};

/** Locks the thread until the end of the transaction, and returns its current row. */
export function lockThread(tx: Statements, key: string): Promise<ThreadRow | undefined> {
  return tx.get(`SELECT ${THREAD} FROM skein.threads AS t WHERE t.key = $1 FOR NO KEY UPDATE`, Number(key));
}

/** Whether the thread has an unfinished run. While the caller has locked the thread, none can be added. */
export async function hasRuns(tx: Statements, key: string): Promise<boolean> {
  const run = await tx.get(
    'SELECT 1 FROM skein.runs WHERE thread = $1 AND finished_at IS NULL LIMIT 1',
    Number(key),
  );
  return run !== undefined;
}
