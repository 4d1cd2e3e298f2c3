/** The view of a run's log that shows every entry, with the log's own numbers. */
import type { EventBatch, LogEntry } from '../../state/threads/events.ts';
import type { View, ViewBatch } from './view.ts';

const shown = new WeakMap<EventBatch, ViewBatch<LogEntry>>();

export const ENTRIES: View<LogEntry> = {
  after: (entry) => ({ entry }),
  of(batch) {
    const known = shown.get(batch);
    if (known) return known;
    const { first, last, entries: events } = batch;
    const made = { first, last, events };
    shown.set(batch, made);
    return made;
  },
};
