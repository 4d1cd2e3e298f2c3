/** Messages and runs for readers on PostgreSQL, page by page along an index. */
import type { Archive, Page, PageRequest, RunFilter } from '../../archive.ts';
import { MOST_CHARACTERS, pageOf } from '../../driver/page.ts';
import { type RunRow, toRun } from '../../driver/rows.ts';
import { type StoredMessageRow, toStoredMessage } from '../../driver/stored-message.ts';
import type { Run } from '../../runs.ts';
import type { Database, Value } from '../database/database.ts';
import { parameters } from '../database/parameters.ts';

const messagesWhere = (condition: string, order: string) =>
  withinBounds(
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
      const { text, values } = runListing(filter, limit + 1, after?.[0]);
      const rows = await database.all<RunRow>(
        withinBounds(text, orderOf(filter), ['request', 'agents', 'result']),
        ...values,
      );
      return pageOf(
        rows,
        limit,
        ({ run_id }) => [run_id],
        (row) => toRun(row),
        ({ request, agents, result }) => request.length + (agents?.length ?? 0) + (result?.length ?? 0),
      );
    },
  };
}

/**
 * Of a page's rows those that it can hold, and one more: what lies in `columns` may be long, and its bytes are counted
 * without reading it. A character is three bytes at most.
 */
function withinBounds(rows: string, order: string, columns: string[]): string {
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  return `SELECT * FROM (
    SELECT *, sum(${bytes}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
    FROM (${rows}) AS page) AS counted
    WHERE coalesce(bytes_before, 0) <= ${3 * MOST_CHARACTERS} ORDER BY ${order}`;
}

const ENDED = "r.finished_at IS NOT NULL AND r.status <> 'succeeded'";

/** Each but the one that most runs have has an index of its own, which the condition names. */
const STATUSES: Record<NonNullable<RunFilter['status']>, string> = {
  queued: "r.finished_at IS NULL AND r.status = 'queued'",
  running: "r.finished_at IS NULL AND r.status = 'running'",
  failed: `${ENDED} AND r.status = 'failed'`,
  cancelled: `${ENDED} AND r.status = 'cancelled'`,
  interrupted: `${ENDED} AND r.status = 'interrupted'`,
  succeeded: "r.status = 'succeeded'",
};

/** A thread that is being deleted has no owner any more: its runs are left out. */
export function runListing(
  { owner, thread, workflow, status }: RunFilter,
  limit: number,
  after: string | undefined,
): { text: string; values: Value[] } {
  const { values, add } = parameters();
  const where = owner === null ? ["t.owner <> ''"] : [`r.owner = ${add(owner)}`];
  if (thread !== undefined) where.push(`r.thread = ${add(Number(thread))}`);
  if (workflow !== undefined) where.push(`r.workflow = ${add(workflow)}`);
  if (status) where.push(STATUSES[status]);
  if (after !== undefined)
    where.push(owner === null ? `r.run_id < ${add(after)}` : `r.seq < ${placeOf(add(after))}`);
  const text = `SELECT r.*, t.thread_id FROM skein.runs AS r
    JOIN skein.threads AS t ON t.key = r.thread AND t.owner = r.owner
    WHERE ${where.join(' AND ')} ORDER BY r.${orderOf({ owner })} LIMIT ${add(limit)}`;
  return { text, values };
}

/** Runs of everybody have no index by number: they come by id, of which each is greater than those of earlier milliseconds. */
function orderOf({ owner }: Pick<RunFilter, 'owner'>): 'seq DESC' | 'run_id DESC' {
  return owner === null ? 'run_id DESC' : 'seq DESC';
}

/** Where a run is, or was before it was deleted: ids grow as rows do. */
function placeOf(runId: string): string {
  return `coalesce((SELECT seq FROM skein.runs WHERE run_id = ${runId}),
    (SELECT seq + 1 FROM skein.runs WHERE run_id < ${runId} ORDER BY run_id DESC LIMIT 1))`;
}
