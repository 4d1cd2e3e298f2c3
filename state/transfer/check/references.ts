/** Rows that refer to others which are not there. */
import type { Reading } from '../store.ts';

interface Reference {
  /** What follows SELECT: the row's name for people. */
  names: string;
  from: string;
  to: string;
  on: string;
  where?: string;
  says: string;
}

const REFERENCES: readonly Reference[] = [
  {
    names: 'a.run_id',
    from: 'runs',
    to: 'threads',
    on: 'b.key = a.thread',
    says: 'run %: its thread is not there',
  },
  {
    names: 'a.message_id',
    from: 'messages',
    to: 'threads',
    on: 'b.key = a.thread',
    says: 'message %: its thread is not there',
  },
  {
    // Forks and copies of threads have messages of the runs of another thread, which may be gone.
    names: 'a.message_id',
    from: 'messages',
    to: 'runs',
    on: 'b.run_id = a.run_id',
    where: `EXISTS (SELECT 1 FROM {threads} AS t
      WHERE t.key = a.thread AND t.owner <> '' AND t.parent IS NULL AND t.created_at <= a.created_at)`,
    says: 'message %: its run is not there',
  },
  {
    names: 'a.message_id',
    from: 'feedback',
    to: 'messages',
    on: 'b.message_id = a.message_id',
    says: 'feedback of the message %: the message is not there',
  },
  {
    names: 'a.run_id',
    from: 'events',
    to: 'runs',
    on: 'b.run_id = a.run_id',
    says: 'log of the run %: the run is not there',
  },
  {
    names: 'a.run_id',
    from: 'idempotency',
    to: 'runs',
    on: 'b.run_id = a.run_id',
    says: 'idempotency key of the run %: the run is not there',
  },
  {
    names: 'a.thread',
    from: 'state_changes',
    to: 'threads',
    on: 'b.key = a.thread',
    says: 'state change of the thread number %: the thread is not there',
  },
  {
    names: 'a.item',
    from: 'item_vectors',
    to: 'items',
    on: 'b.seq = a.item',
    says: 'vector of the item number %: the item is not there',
  },
  {
    names: 'a.assistant_id',
    from: 'assistants',
    to: 'assistant_versions',
    on: 'b.assistant = a.key AND b.version = a.version',
    says: 'assistant %: its current version is not there',
  },
  {
    names: 'a.assistant',
    from: 'assistant_versions',
    to: 'assistants',
    on: 'b.key = a.assistant',
    says: 'version of the assistant number %: the assistant is not there',
  },
  {
    names: 'a.delivery_id',
    from: 'webhook_deliveries',
    to: 'threads',
    on: 'b.key = a.thread',
    says: 'webhook delivery %: its thread is not there',
  },
  {
    names: 'a.cron_id',
    from: 'crons',
    to: 'threads',
    on: 'b.key = a.thread',
    where: 'a.thread IS NOT NULL',
    says: 'cron %: its thread is not there',
  },
];

export async function checkReferences(reading: Reading, found: (problem: string) => void): Promise<void> {
  for (const { names, from, to, on, where = 'true', says } of REFERENCES) {
    const condition = where.replace('{threads}', reading.table('threads'));
    const slices = reading.select({
      columns: `DISTINCT ${names} AS name`,
      from: `${reading.table(from)} AS a WHERE ${condition}
        AND NOT EXISTS (SELECT 1 FROM ${reading.table(to)} AS b WHERE ${on})`,
      order: 'name',
    });
    for await (const rows of slices)
      for (const { name } of rows) found(says.replace('%', () => String(name)));
  }
}

/** The numbers of a run's log follow each other; what is deleted of it is its beginning, when the run has ended. */
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
      if (!isNext) found(`log of the run ${row.run_id}: after the entry ${last} comes ${first}`);
      run = row.run_id;
      last = Number(row.last);
    }
}
