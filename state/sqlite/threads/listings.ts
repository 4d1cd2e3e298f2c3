/** Messages and runs for readers on SQLite, page by page along an index. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Archive, Page, PageRequest, RunFilter } from '../../archive.ts';
import { pageOf } from '../../driver/page.ts';
import type { RunRow } from '../../driver/rows.ts';
import { toRun } from '../../driver/rows.ts';
import { type StoredMessageRow, toStoredMessage } from '../../driver/stored-message.ts';
import type { Run } from '../../runs.ts';
import type { GroupCommit } from '../file/group-commit.ts';

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
      const { sql, values } = runListing(filter, after?.[0]);
      const rows = db.query<RunRow, SQLQueryBindings[]>(sql).iterate(...values, limit + 1);
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

/** A thread that is being deleted has no owner any more: its runs are left out. */
export function runListing({ owner, thread, workflow, status }: RunFilter, after: string | undefined) {
  const conditions = ["t.owner <> ''"];
  const values: SQLQueryBindings[] = [];
  const narrow = (condition: string, value: SQLQueryBindings | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  narrow('r.owner = ?', owner ?? undefined);
  narrow('t.owner = ?', owner ?? undefined);
  narrow('r.thread = ?', thread);
  narrow('r.workflow = ?', workflow);
  narrow('r.status = ?', status);
  // Not by row number: a rebuilt file numbers its rows anew. Ids grow as rows do.
  narrow('r.rowid <= (SELECT rowid FROM runs WHERE run_id < ? ORDER BY run_id DESC LIMIT 1)', after);
  const rare = status && RARE[status];
  if (rare) conditions.push(rare.condition);
  const sql = `SELECT r.*, t.thread_id
    FROM runs AS r ${indexOf({ owner, thread, workflow }, rare)} CROSS JOIN threads AS t ON t.key = r.thread
    WHERE ${conditions.join(' AND ')} ORDER BY r.rowid DESC LIMIT ?`;
  return { sql, values };
}

function indexOf(
  { owner, thread, workflow }: Pick<RunFilter, 'owner' | 'thread' | 'workflow'>,
  rare: { index: string } | undefined,
): string {
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

/** Indexes that hold only these; most runs succeed, so that those are found without one. */
const RARE: Partial<Record<NonNullable<RunFilter['status']>, { index: string; condition: string }>> = {
  queued: UNFINISHED,
  running: UNFINISHED,
  failed: ENDED,
  cancelled: ENDED,
  interrupted: ENDED,
};
