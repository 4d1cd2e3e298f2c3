/** A run's events, whoever began it. */
import type { StreamOptions } from './options.ts';
import { requests } from './requests.ts';
import { type RunStreamEvent, runEvents } from './run-events.ts';

export interface FollowOptions extends StreamOptions {
  /** The number of the last event that is known; default 0, none. */
  after?: number;
}

/** The events after `after`, past and coming ones, as in `streamChat`. Who stops listening leaves the run alone. */
export function followRun(
  baseUrl: string,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<RunStreamEvent, void> {
  const run = { id: runId, after: options.after ?? 0 };
  return runEvents(requests(baseUrl, options), { run, owned: false }, options);
}
