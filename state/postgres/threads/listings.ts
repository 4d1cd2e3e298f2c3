/** Lists messages and runs for readers on PostgreSQL. Each page is a range scan of an index. */

import { MAX_PAGE_CHARACTERS, pageOf } from '../../driver/page.ts';
import { type RunRow, toListedRun } from '../../driver/rows.ts';
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
import type { Database, Value } from '../database/database.ts';
import { type Parameters, parameters } from '../database/parameters.ts';
import { runConditions } from './run-conditions.ts';

const messagesWhere = (condition: string, order: string) =>
  withinPageSize(
    `SELECT m.*, f.body AS feedback FROM skein.messages AS m
     LEFT JOIN skein.feedback AS f ON f.message_id = m.message_id
     WHERE m.thread = $1 AND ${condition} ORDER BY m.${order} LIMIT $3`,
    order,
    ['content', 'outputs'],
  );
const OLDEST = messagesWhere('m.seq > $2', 'seq');
const NEWEST = messagesWhere('m.seq < $2', 'seq DESC');

export function listings(database: Database): Pick<Archive, 'messages' | 'runs'> {
  return {
    async messages(key, { limit, after, newestFirst }) {
      const from = after?.[0] ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0);
      const listed = newestFirst ? NEWEST : OLDEST;
      const rows = await database.all<StoredMessageRow>(listed, Number(key), from, limit + 1);
      return pageOf(
        rows,
        limit,
        ({ seq }) => [seq],
        toStoredMessage,
        ({ content, outputs }) => content.length + (outputs?.length ?? 0),
      );
    },
    async runs(filter, { limit, after }: PageRequest<[string]>): Promise<Page<Run>> {
      const floor = needsScan(filter) ? await floorOf(database, filter, after?.[0]) : undefined;
      const { text, values } = runListing(filter, limit + 1, after?.[0], floor);
      const rows = await database.all<RunRow>(
        withinPageSize(text, orderOf(filter), ['request', 'agents', 'result']),
        ...values,
      );
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

/**
 * Returns only the rows that fit into a page, and one more. `columns` are the columns that may be long; their sizes are summed
 * without reading them. A UTF-16 code unit takes at most three bytes in UTF-8.
 */
function withinPageSize(rows: string, order: string, columns: string[]): string {
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  return `SELECT * FROM (
    SELECT *, sum(${bytes}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
    FROM (${rows}) AS page) AS counted
    WHERE coalesce(bytes_before, 0) <= ${3 * MAX_PAGE_CHARACTERS} ORDER BY ${order}`;
}

const ENDED = "r.finished_at IS NOT NULL AND r.status <> 'succeeded'";

/** Each status except `succeeded` has a partial index; the conditions match the indexes. */
const STATUSES: Record<NonNullable<RunFilter['status']>, string> = {
  queued: "r.finished_at IS NULL AND r.status = 'queued'",
  running: "r.finished_at IS NULL AND r.status = 'running'",
  failed: `${ENDED} AND r.status = 'failed'`,
  cancelled: `${ENDED} AND r.status = 'cancelled'`,
  interrupted: `${ENDED} AND r.status = 'interrupted'`,
  succeeded: "r.status = 'succeeded'",
};

type Floor = Pick<RunRow, 'run_id'> & { seq: number };

/** The last run that a page scans; undefined if the page reaches the end. */
async function floorOf(database: Database, filter: RunFilter, after: string | undefined) {
  const { text, values } = runFloor(filter, after);
  const rows = await database.all<Floor>(text, ...values);
  return rows.length === 2 ? rows[0] : undefined;
}

export function runFloor(filter: RunFilter, after: string | undefined): { text: string; values: Value[] } {
  const given = parameters();
  const bounds = boundsOf(filter, after, given);
  const text = `SELECT r.run_id, r.seq FROM skein.runs AS r WHERE ${bounds.join(' AND ')}
    ORDER BY r.${orderOf(filter)} LIMIT 2 OFFSET ${MAX_SCANNED_RUNS - 1}`;
  return { text, values: given.values };
}

/** Leaves out the runs of a thread that is being deleted, which has no owner. */
export function runListing(
  filter: RunFilter,
  limit: number,
  after: string | undefined,
  floor?: Floor,
): { text: string; values: Value[] } {
  const given = parameters();
  const where = [
    ...boundsOf(filter, after, given),
    ...columnConditions(filter, given, false),
    ...runConditions(filter, given),
  ];
  if (filter.owner === null) where.push("t.owner <> ''");
  if (floor)
    where.push(
      filter.owner === null ? `r.run_id >= ${given.add(floor.run_id)}` : `r.seq >= ${given.add(floor.seq)}`,
    );
  const text = `SELECT r.*, t.thread_id FROM skein.runs AS r
    JOIN skein.threads AS t ON t.key = r.thread AND t.owner = r.owner
    WHERE ${where.join(' AND ')} ORDER BY r.${orderOf(filter)} LIMIT ${given.add(limit)}`;
  return { text, values: given.values };
}

/** The conditions that the index of a listing supports. */
function boundsOf(filter: RunFilter, after: string | undefined, { add }: Parameters): string[] {
  const bounds = ['true', ...columnConditions(filter, { add }, true)];
  const { least, limit } = idsWithin(filter);
  if (filter.owner === null) {
    for (const before of [after, limit]) if (before !== undefined) bounds.push(`r.run_id < ${add(before)}`);
    if (least !== undefined) bounds.push(`r.run_id >= ${add(least)}`);
    return bounds;
  }
  if (after !== undefined) bounds.push(`r.seq < ${positionOf(add(after))}`);
  if (limit !== undefined)
    bounds.push(
      `r.seq <= (SELECT seq FROM skein.runs WHERE run_id < ${add(limit)} ORDER BY run_id DESC LIMIT 1)`,
    );
  if (least !== undefined)
    bounds.push(
      `r.seq >= (SELECT seq FROM skein.runs WHERE run_id >= ${add(least)} ORDER BY run_id LIMIT 1)`,
    );
  return bounds;
}

/** The filter's conditions on columns: those that the index supports (`isIndexed`), or the others. */
function columnConditions(filter: RunFilter, { add }: Pick<Parameters, 'add'>, isIndexed: boolean): string[] {
  const fields = indexedFields(filter);
  return columnFilters(filter)
    .filter(([field]) => fields.includes(field) === isIndexed)
    .map(([field, value]) => {
      if (field === 'status' && filter.status) return STATUSES[filter.status];
      return `r.${field} = ${add(field === 'thread' ? Number(value) : value)}`;
    });
}

/** Runs of all owners have no index by `seq`, so they are sorted by id. Ids are ordered by their time in milliseconds. */
function orderOf({ owner }: Pick<RunFilter, 'owner'>): 'seq DESC' | 'run_id DESC' {
  return owner === null ? 'run_id DESC' : 'seq DESC';
}

/** The `seq` of a run, or the position of a deleted run: ids and `seq` have the same order. */
function positionOf(runId: string): string {
  return `coalesce((SELECT seq FROM skein.runs WHERE run_id = ${runId}),
    (SELECT seq + 1 FROM skein.runs WHERE run_id < ${runId} ORDER BY run_id DESC LIMIT 1))`;
}
