/** The events of an existing run. */
import type { StreamOptions } from './options.ts';
import { requests } from './requests.ts';
import { type RunStreamEvent, runEvents } from './run-events.ts';

export interface FollowOptions extends StreamOptions {
  /** The number of the last known event. Default: 0. */
  after?: number;
}

/** The past and future events after `after`, as in `streamChat`. Closing the stream does not stop the run. */
export function followRun(
  baseUrl: string,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<RunStreamEvent, void> {
  const run = { id: runId, after: options.after ?? 0 };
  return runEvents(requests(baseUrl, options), { run, owned: false }, options);
}
