/** The events of an existing run. */
import type { StreamOptions } from './options.ts';
import { requests } from './requests.ts';
import { type RunStreamEvent, runEvents } from './run-events.ts';

export interface FollowOptions extends StreamOptions {
  /** The number of the last known event; 0 by default. */
  after?: number;
}

/** The events after `after`, past and future ones, as in `streamChat`. Leaving the stream does not stop the run. */
export function followRun(
  baseUrl: string,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<RunStreamEvent, void> {
  const run = { id: runId, after: options.after ?? 0 };
  return runEvents(requests(baseUrl, options), { run, owned: false }, options);
}
