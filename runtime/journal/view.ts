/** A face's view of a run's log: what it shows of the entries, under numbers of its own without a gap. */
import type { After, EventBatch } from '../../state/events.ts';

export interface View<Event> {
  /** Where its number `number` stands in the store. */
  after(number: number): After;
  /** The same object for the same batch, so that all who listen share what is made of it. */
  of(batch: EventBatch): Shown<Event>;
}

/** What is shown of a batch; `last` is below `first` where that is nothing. */
export interface Shown<Event> {
  first: number;
  last: number;
  events: Event[];
}

/** The part that comes after number `after`; all of it where nothing is left out. */
export function shownAfter<Event>(shown: Shown<Event>, after: number): Shown<Event> {
  if (shown.first > after) return shown;
  return { first: after + 1, last: shown.last, events: shown.events.slice(after + 1 - shown.first) };
}
