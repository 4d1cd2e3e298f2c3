/** Lists messages and runs for readers on SQLite. Each page is a range scan of an index. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { pageOf } from '../../driver/page.ts';
import type { RunRow } from '../../driver/rows.ts';
import { toListedRun } from '../../driver/rows.ts';
import {
  columnFilters,
  idsWithin,
  indexedFields,
  MAX_SCANNED_RUNS,
  needsScan,
} from '../../driver/run-bounds.ts';
import { type StoredMessageRow, toStoredMessage } from '../../driver/stored-message.ts';
import type { Archive, Page, PageRequest, RunFilter } from '../../threads/archive.ts';
import type { Run } from '../../threads/runs.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { type Condition, runConditions } from './run-conditions.ts';

export function listings(db: Database, commit: GroupCommit): Pick<Archive, 'messages' | 'runs'> {
  const inOrder = (condition: string) =>
    db.query<StoredMessageRow, [string, number, number]>(
      `SELECT m.*, f.body AS feedback FROM messages AS m LEFT JOIN feedback AS f ON f.message_id = m.message_id
       WHERE m.thread = ? AND ${condition} LIMIT ?`,
    );
  const [oldest, newest] = [inOrder('m.seq > ? ORDER BY m.seq'), inOrder('m.seq < ? ORDER BY m.seq DESC')];
  return {
    async messages(key, { limit, after, newestFirst }) {
      commit.flush();
      const from = after?.[0] ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0);
      const rows = (newestFirst ? newest : oldest).iterate(key, from, limit + 1);
      return pageOf(
        rows,
        limit,
        ({ seq }) => [seq],
        toStoredMessage,
        ({ content, outputs }) => content.length + (outputs?.length ?? 0),
      );
    },
    async runs(filter, { limit, after }: PageRequest<[string]>): Promise<Page<Run>> {
      commit.flush();
      const floor = needsScan(filter) ? floorOf(db, filter, after?.[0]) : undefined;
      const { sql, values } = runListing(filter, after?.[0], floor?.row);
      const rows = db.query<RunRow, SQLQueryBindings[]>(sql).iterate(...values, limit + 1);
      const page = pageOf(
        rows,
        limit,
        ({ run_id }) => [run_id],
        toListedRun,
        ({ request, agents, result }) => request.length + (agents?.length ?? 0) + (result?.length ?? 0),
      );
      return page.next || !floor ? page : { ...page, next: [floor.run_id] };
    },
  };
}

/** The last run that a page scans; undefined if the page reaches the end. */
function floorOf(db: Database, filter: RunFilter, after: string | undefined) {
  const { index, bounds } = scanOf(filter, after);
  const rows = db
    .query<{ run_id: string; row: number }, SQLQueryBindings[]>(
      `SELECT r.run_id, r.rowid AS row FROM runs AS r ${index} WHERE ${joined(bounds)}
       ORDER BY r.rowid DESC LIMIT 2 OFFSET ${MAX_SCANNED_RUNS - 1}`,
    )
    .all(...valuesOf(bounds));
  return rows.length === 2 ? rows[0] : undefined;
}

/** Leaves out the runs of a thread that is being deleted, which has no owner. `floor`: the last row to scan. */
export function runListing(filter: RunFilter, after: string | undefined, floor?: number) {
  const { index, bounds, checked } = scanOf(filter, after);
  const conditions = [...bounds, ...checked, ...runConditions(filter)];
  if (filter.owner !== null) conditions.push({ sql: 't.owner = ?', values: [filter.owner] });
  if (floor !== undefined) conditions.push({ sql: 'r.rowid >= ?', values: [floor] });
  const sql = `SELECT r.*, t.thread_id
    FROM runs AS r ${index} CROSS JOIN threads AS t ON t.key = r.thread
    WHERE t.owner <> '' AND ${joined(conditions)} ORDER BY r.rowid DESC LIMIT ?`;
  return { sql, values: valuesOf(conditions) };
}

/** The index of a listing, the conditions on its columns (`bounds`), and the conditions that are checked for each row. */
function scanOf(filter: RunFilter, after: string | undefined) {
  const bounds: Condition[] = [{ sql: 'true', values: [] }];
  const checked: Condition[] = [];
  const fields = indexedFields(filter);
  for (const [field, value] of columnFilters(filter))
    (fields.includes(field) ? bounds : checked).push({ sql: `r.${field} = ?`, values: [value] });
  const rare = filter.status && RARE[filter.status];
  if (rare && fields.includes('status')) bounds.push({ sql: rare.condition, values: [] });
  const { least, limit } = idsWithin(filter);
  // The cursor is an id, because VACUUM may renumber rows. Ids and rowids have the same order.
  for (const before of [after, limit])
    if (before !== undefined)
      bounds.push({
        sql: 'r.rowid <= (SELECT rowid FROM runs WHERE run_id < ? ORDER BY run_id DESC LIMIT 1)',
        values: [before],
      });
  if (least !== undefined)
    bounds.push({
      sql: 'r.rowid >= (SELECT rowid FROM runs WHERE run_id >= ? ORDER BY run_id LIMIT 1)',
      values: [least],
    });
  return { index: indexOf(filter, rare), bounds, checked };
}

const joined = (conditions: Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
const valuesOf = (conditions: Condition[]) => conditions.flatMap(({ values }) => values);

function indexOf({ owner, thread, workflow }: RunFilter, rare: { index: string } | undefined): string {
  if (thread !== undefined) return 'INDEXED BY runs_by_thread';
  if (rare) return `INDEXED BY ${rare.index}`;
  if (owner === null) return 'NOT INDEXED';
  return workflow === undefined ? 'INDEXED BY runs_by_owner' : 'INDEXED BY runs_by_owner_workflow';
}

const ENDED = {
  index: 'runs_not_succeeded',
  condition: "r.finished_at IS NOT NULL AND r.status <> 'succeeded'",
};
const UNFINISHED = { index: 'runs_unfinished', condition: 'r.finished_at IS NULL' };

/** Partial indexes of rare statuses. Most runs succeed, so a scan finds those quickly without an index. */
const RARE: Partial<Record<NonNullable<RunFilter['status']>, { index: string; condition: string }>> = {
  queued: UNFINISHED,
  running: UNFINISHED,
  failed: ENDED,
  cancelled: ENDED,
  interrupted: ENDED,
};
