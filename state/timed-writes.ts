/** Wraps a state to measure the writes that runs wait for. */
import type { State } from './state.ts';

/** Calls `written` with the duration in seconds of each `accept`, urgent `append` and `end`. */
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
      accept: (...args) => timed(coordination.accept(...args)),
      end: (...args) => timed(coordination.end(...args)),
    },
    events: {
      ...events,
      // Writes that are not urgent are delayed on purpose, so their duration is not measured.
      append: (lease, take, urgency) =>
        urgency === 'now' ? timed(events.append(lease, take, urgency)) : events.append(lease, take, urgency),
    },
  };
}
