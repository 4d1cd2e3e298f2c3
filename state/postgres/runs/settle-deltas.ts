/** After a successful turn: settles the delta channels of its thread, and sometimes deletes old checkpoints. */
import { checkpointPruning } from '../checkpoints/prune.ts';
import type { Database } from '../database/database.ts';

export interface Settling {
  threadKey: string;
  prunes: boolean;
  /** The number of checkpoints to keep, in addition to the head. */
  keep: number;
}

const IS_BUSY = `SELECT 1 FROM skein.runs WHERE thread = $1 AND finished_at IS NULL AND lease > 0 LIMIT 1`;
const OLD = `
  SELECT id FROM skein.checkpoints WHERE thread = $1 AND id <> (SELECT head FROM skein.threads WHERE key = $2)
    AND id <= (SELECT id FROM skein.checkpoints WHERE thread = $1 AND ns = '' ORDER BY id DESC LIMIT 1 OFFSET $3)
    AND id NOT IN (SELECT parent_checkpoint FROM skein.threads
      WHERE parent_key = $2 AND parent_checkpoint IS NOT NULL)`;

/** Does nothing if the next turn has already started, because its task writes are still needed. Its end does it. */
export async function settleDeltas(database: Database, { threadKey, prunes, keep }: Settling): Promise<void> {
  const key = Number(threadKey);
  await database.transaction(async (tx) => {
    const thread = await tx.get('SELECT 1 FROM skein.threads WHERE key = $1 FOR NO KEY UPDATE', key);
    if (!thread || (await tx.get(IS_BUSY, key))) return;
    await checkpointPruning.settle(tx, threadKey);
    if (!prunes) return;
    const old = await tx.all<{ id: string }>(OLD, threadKey, key, keep);
    await checkpointPruning.prune(
      tx,
      threadKey,
      old.map(({ id }) => id),
    );
  });
}
