/** A protocol's view of a run's log: the entries that it shows, with its own gapless numbers. */
import type { After, EventBatch } from '../../state/threads/events.ts';

export interface View<Event> {
  /** The position in the database that corresponds to the view's `number`. */
  after(number: number): After;
  /** Returns the same object for the same batch, so that all listeners share it. */
  of(batch: EventBatch): ViewBatch<Event>;
}

/** The shown part of a batch; `last` is below `first` if the view shows nothing of it. */
export interface ViewBatch<Event> {
  first: number;
  last: number;
  events: Event[];
}

/** The part after number `after`; the same object if nothing is left out. */
export function batchAfter<Event>(shown: ViewBatch<Event>, after: number): ViewBatch<Event> {
  if (shown.first > after) return shown;
  return { first: after + 1, last: shown.last, events: shown.events.slice(after + 1 - shown.first) };
}
