/** A thread's row as readers get it, and in SQL what each status means; `t` is the thread. */

import type { ThreadRow } from '../../driver/rows.ts';
import type { PruneStrategy } from '../../threads.ts';

export interface StoredThreadRow extends ThreadRow {
  metadata: string | null;
  failed: number;
  /** The id of the thread that it was forked from. */
  parent: string | null;
  parent_checkpoint: string | null;
  busy: number;
  /** Milliseconds. */
  ttl: number | null;
  ttl_strategy: PruneStrategy;
  ttl_since: number;
}

export const BUSY = 'EXISTS (SELECT 1 FROM runs AS r WHERE r.thread = t.key AND r.finished_at IS NULL)';

export const CONDITIONS = {
  idle: `t.failed = 0 AND t.interrupt IS NULL AND NOT ${BUSY}`,
  busy: 't.key IN (SELECT thread FROM runs WHERE finished_at IS NULL)',
  interrupted: `t.interrupt IS NOT NULL AND NOT ${BUSY}`,
  error: `t.failed = 1 AND t.interrupt IS NULL AND NOT ${BUSY}`,
};
