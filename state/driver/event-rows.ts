/** Converts rows of a run's log to batches. */
import type { EventBatch, LogEntry, ThreadBatch } from '../threads/events.ts';

export interface EventBatchRow {
  run_id: string;
  first: number;
  last: number;
  chat_first: number;
  chat_last: number;
  /** The number of the last entry within the thread. */
  seq: number;
  body: string;
}

export function toBatch({ first, last, chat_first, chat_last, body }: EventBatchRow): EventBatch {
  return { first, last, chat: { first: chat_first, last: chat_last }, entries: parseEntries(body) };
}

export function toThreadBatch(row: EventBatchRow): ThreadBatch {
  const { run_id: runId, seq, first, last } = row;
  return { ...toBatch(row), runId, seq: seq - (last - first) };
}

export interface StateChangeRow {
  seq: number;
  checkpoint: string;
  created_at: number;
}

/** A change of a thread's state outside of runs, as a batch. */
export function toChangeBatch({ seq, checkpoint, created_at: at }: StateChangeRow): ThreadBatch {
  const entry: LogEntry = { at, kind: 'state', body: { checkpoint } };
  return { runId: null, seq, first: 1, last: 1, chat: { first: 1, last: 0 }, entries: [entry] };
}

/** An unreadable batch counts as empty, so that the rest of the log stays readable. */
function parseEntries(body: string): LogEntry[] {
  try {
    return JSON.parse(body);
  } catch {
    return [];
  }
}
