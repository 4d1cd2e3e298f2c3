/** A state that tells how long the writes take that runs wait for. */
import type { State } from './state.ts';

/** `written` is called with the seconds of each: a run that is taken on, what it did, and its end. */
export function timedWrites<Opened extends State>(state: Opened, written: (seconds: number) => void): Opened {
  const { coordination, events } = state;

  async function timed<T>(write: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await write;
    } finally {
      written((performance.now() - began) / 1000);
    }
  }

  return {
    ...state,
    coordination: {
      ...coordination,
      accept: (...asked) => timed(coordination.accept(...asked)),
      end: (...asked) => timed(coordination.end(...asked)),
    },
    events: {
      ...events,
      // What isn't urgent waits on purpose.
      append: (lease, take, urgency) =>
        urgency === 'now' ? timed(events.append(lease, take, urgency)) : events.append(lease, take, urgency),
    },
  };
}
