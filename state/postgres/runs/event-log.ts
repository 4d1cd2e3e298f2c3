/** Logs of runs on PostgreSQL: a row per batch, indexed by numbers of the run, of chat and of the thread. */
import {
  type EventBatchRow,
  type StateChangeRow,
  toBatch,
  toChangeBatch,
  toThreadBatch,
} from '../../driver/event-rows.ts';
import type { EventBatch, Events } from '../../threads/events.ts';
import type { Database } from '../database/database.ts';
import type { Hints } from '../hints.ts';
import type { RunWriteQueue } from './write-queue.ts';
import type { EventsInsert } from './writes.ts';

export interface EventLogParts {
  database: Database;
  queue: RunWriteQueue;
  hints: Hints;
}

// Each query is one index lookup. Batches don't overlap, so the entries after a number start in the last batch that starts at
// or before it, or in a later one. A chat number is never greater than the number of its entry, so the same bound holds for
// chat events.
const FROM = `SELECT * FROM skein.events WHERE run_id = $1 AND first >= coalesce(
  (SELECT max(first) FROM skein.events WHERE run_id = $1 AND first <= $2), 0)`;
const AFTER_ENTRY = `${FROM} AND last > $2 ORDER BY first LIMIT $3`;
const AFTER_CHAT = `${FROM} AND chat_last > $2 ORDER BY first LIMIT $3`;
const CHANGES =
  'SELECT seq, checkpoint, created_at FROM skein.state_changes WHERE thread = $1 AND seq > $2 ORDER BY seq LIMIT $3';
const AFTER_SEQ = 'SELECT * FROM skein.events WHERE thread = $1 AND seq > $2 ORDER BY seq LIMIT $3';

export function eventLog({ database, queue, hints }: EventLogParts): Events {
  return {
    async append(lease, take, urgency) {
      const rows = () => ({ events: eventRows(take(), Date.now()) });
      // Entries that clients may see must survive a crash of the database, too: otherwise their numbers would be used twice.
      await queue.add({ threadKey: '', lease }, rows, urgency === 'now' ? 'durable' : urgency);
      hints.progress(lease.runId);
    },
    async read(runId, after, limit) {
      const [text, number] = 'chat' in after ? [AFTER_CHAT, after.chat] : [AFTER_ENTRY, after.entry];
      return (await database.all<EventBatchRow>(text, runId, number, limit)).map(toBatch);
    },
    async readThread(threadKey, after, limit) {
      const parameters = [Number(threadKey), after, limit] as const;
      const [ofRuns, outside] = await Promise.all([
        database.all<EventBatchRow>(AFTER_SEQ, ...parameters),
        database.all<StateChangeRow>(CHANGES, ...parameters),
      ]);
      const all = [...ofRuns.map(toThreadBatch), ...outside.map(toChangeBatch)];
      return all.sort((a, b) => a.seq - b.seq).slice(0, limit);
    },
  };
}

export function eventRows(batches: EventBatch[], at: number): EventsInsert[] {
  return batches.map(({ first, last, chat, entries }) => ({
    ...{ first, last, chat_first: chat.first, chat_last: chat.last, created_at: at },
    body: JSON.stringify(entries),
  }));
}
