/** Finds rows that refer to missing rows. */
import type { Reading } from '../store.ts';

interface Reference {
  /** The expression whose value replaces `%` in `message`. */
  id: string;
  from: string;
  to: string;
  on: string;
  where?: string;
  message: string;
}

const REFERENCES: readonly Reference[] = [
  {
    id: 'a.run_id',
    from: 'runs',
    to: 'threads',
    on: 'b.key = a.thread',
    message: 'run %: its thread does not exist',
  },
  {
    id: 'a.message_id',
    from: 'messages',
    to: 'threads',
    on: 'b.key = a.thread',
    message: 'message %: its thread does not exist',
  },
  {
    // Forks and copies contain messages of another thread's runs, which may have been deleted.
    id: 'a.message_id',
    from: 'messages',
    to: 'runs',
    on: 'b.run_id = a.run_id',
    where: `EXISTS (SELECT 1 FROM {threads} AS t
      WHERE t.key = a.thread AND t.owner <> '' AND t.parent IS NULL AND t.created_at <= a.created_at)`,
    message: 'message %: its run does not exist',
  },
  {
    id: 'a.message_id',
    from: 'feedback',
    to: 'messages',
    on: 'b.message_id = a.message_id',
    message: 'feedback of the message %: the message does not exist',
  },
  {
    id: 'a.run_id',
    from: 'events',
    to: 'runs',
    on: 'b.run_id = a.run_id',
    message: 'log of the run %: the run does not exist',
  },
  {
    id: 'a.run_id',
    from: 'idempotency',
    to: 'runs',
    on: 'b.run_id = a.run_id',
    message: 'idempotency key of the run %: the run does not exist',
  },
  {
    id: 'a.thread',
    from: 'state_changes',
    to: 'threads',
    on: 'b.key = a.thread',
    message: 'state change of the thread number %: the thread does not exist',
  },
  {
    id: 'a.item',
    from: 'item_vectors',
    to: 'items',
    on: 'b.seq = a.item',
    message: 'vector of the item number %: the item does not exist',
  },
  {
    id: 'a.assistant_id',
    from: 'assistants',
    to: 'assistant_versions',
    on: 'b.assistant = a.key AND b.version = a.version',
    message: 'assistant %: its current version does not exist',
  },
  {
    id: 'a.assistant',
    from: 'assistant_versions',
    to: 'assistants',
    on: 'b.key = a.assistant',
    message: 'version of the assistant number %: the assistant does not exist',
  },
  {
    id: 'a.delivery_id',
    from: 'webhook_deliveries',
    to: 'threads',
    on: 'b.key = a.thread',
    message: 'webhook delivery %: its thread does not exist',
  },
  {
    id: 'a.cron_id',
    from: 'crons',
    to: 'threads',
    on: 'b.key = a.thread',
    where: 'a.thread IS NOT NULL',
    message: 'cron %: its thread does not exist',
  },
];

export async function checkReferences(reading: Reading, found: (problem: string) => void): Promise<void> {
  for (const { id, from, to, on, where = 'true', message } of REFERENCES) {
    const condition = where.replace('{threads}', reading.table('threads'));
    const slices = reading.select({
      columns: `DISTINCT ${id} AS name`,
      from: `${reading.table(from)} AS a WHERE ${condition}
        AND NOT EXISTS (SELECT 1 FROM ${reading.table(to)} AS b WHERE ${on})`,
      order: 'name',
    });
    for await (const rows of slices)
      for (const { name } of rows) found(message.replace('%', () => String(name)));
  }
}

/** The entries of a run's log must be consecutive. Only the log of an ended run may lack its beginning, which was deleted. */
export async function checkLogs(reading: Reading, found: (problem: string) => void): Promise<void> {
  const slices = reading.select({
    columns: 'e.run_id, e.first, e.last, r.finished_at',
    from: `${reading.table('events')} AS e JOIN ${reading.table('runs')} AS r ON r.run_id = e.run_id`,
    order: 'e.run_id, e.first',
  });
  let run: unknown;
  let last = 0;
  for await (const rows of slices)
    for (const row of rows) {
      const first = Number(row.first);
      const isNext = row.run_id === run ? first === last + 1 : first === 1 || row.finished_at !== null;
      if (row.run_id !== run) last = 0;
      if (!isNext) found(`log of the run ${row.run_id}: the entry ${last} is followed by ${first}`);
      run = row.run_id;
      last = Number(row.last);
    }
}
