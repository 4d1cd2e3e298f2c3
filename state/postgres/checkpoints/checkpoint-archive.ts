/** Checkpoints for readers on PostgreSQL. */

import { LAST_ID, type Started, storedCheckpoint } from '../../driver/checkpoints/stored-checkpoint.ts';
import type { CheckpointRow } from '../../driver/checkpoints/tuples.ts';
import { pageOf } from '../../driver/page.ts';
import type { CheckpointArchive, StoredCheckpoint } from '../../threads/archive.ts';
import type { Database } from '../database/database.ts';

interface ListedRow extends CheckpointRow {
  triggers: Started['triggers'] | null;
  parent_row: Started['row'] | null;
  parent_triggers: Started['triggers'] | null;
}

// Only trigger channels, so that the values of a conversation are not read.
const triggersOf = (row: string) => `(
  SELECT json_agg(json_build_array(v.channel, v.value))
  FROM json_each_text(${row}.versions::json) AS named JOIN skein.checkpoint_values AS v
    ON v.thread = ${row}.thread AND v.ns = ${row}.ns AND v.channel = named.key AND v.version = named.value
  WHERE named.key LIKE 'branch:to:%' OR named.key LIKE 'join:%' OR named.key = '__pregel_tasks')`;

const LISTED = `
  SELECT c.*, ${triggersOf('c')} AS triggers, ${triggersOf('p')} AS parent_triggers,
    CASE WHEN p.id IS NOT NULL THEN
      json_build_object('versions', p.versions, 'body', p.body, 'metadata', p.metadata) END AS parent_row
  FROM skein.checkpoints AS c
  LEFT JOIN skein.checkpoints AS p ON p.thread = c.thread AND p.ns = c.ns AND p.id = c.parent
  WHERE c.thread = $1 AND `.trim();

export function checkpointArchive(database: Database): CheckpointArchive {
  async function one(condition: string, ...values: string[]): Promise<StoredCheckpoint | undefined> {
    const row = await database.get<ListedRow>(`${LISTED} ${condition} LIMIT 1`, ...values);
    return row && toStored(row);
  }
  return {
    async list(key, { limit, after }, runId) {
      const [before] = after ?? [LAST_ID];
      const [of, value] = runId === undefined ? ['c.ns', ''] : ['c.run_id', runId];
      const rows = await database.all<ListedRow>(
        `${LISTED} ${of} = $2 AND c.id < $3 ORDER BY c.id DESC LIMIT $4`,
        ...[key, value, before, limit + 1],
      );
      return pageOf(rows, limit, ({ id }) => [id], toStored);
    },
    find: (key, checkpointId) => one(`c.ns = '' AND c.id = $2`, key, checkpointId),
    findAny: (key, checkpointId) => one('c.id = $2', key, checkpointId),
  };
}

function toStored({
  triggers,
  parent_row: row,
  parent_triggers: ofParent,
  ...own
}: ListedRow): StoredCheckpoint {
  return storedCheckpoint(own, triggers ?? [], row ? { row, triggers: ofParent ?? [] } : undefined);
}
