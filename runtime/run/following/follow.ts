/** Follows a view of a run's log from any position: earlier events from the database, new ones from the active log. */

import { isLeaseLost } from '../../../state/cluster/lease.ts';
import { slices } from '../../../state/driver/slices.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { LogEntry, NewEntry } from '../../../state/threads/events.ts';
import type { Run } from '../../../state/threads/runs.ts';
import type { RunLog } from '../../journal/run-log.ts';
import { batchAfter, type View, type ViewBatch } from '../../journal/view.ts';
import type { ActiveRun } from '../active-run.ts';
import type { RemoteRuns } from './remote-runs.ts';

/** The number of batches per read. It limits the memory that a slow reader takes. */
const PAGE = 4;

const beginSlices = slices();

export interface FollowParts {
  state: Pick<State, 'events' | 'runs'>;
  remoteRuns: RemoteRuns;
  active: Map<string, ActiveRun>;
}

/** A position in a view: after the event with the number `after`; 0 for the beginning. */
export interface From<Event> {
  view: View<Event>;
  after: number;
}

/** Returns the function that yields a run's events in order, each once, until the run has ended. */
export function follower({ state: { events, runs }, remoteRuns, active }: FollowParts) {
  return function follow<Event>(
    runId: string,
    { view, after }: From<Event>,
  ): AsyncGenerator<ViewBatch<Event>> {
    const log = active.get(runId)?.log;
    return log ? live(log, after) : away(after);

    /** For a run that this process doesn't execute. Switches to `live` if this process claims it. */
    async function* away(cursor: number): AsyncGenerator<ViewBatch<Event>> {
      const watched = remoteRuns.watch(runId);
      let last = cursor;
      try {
        for (;;) {
          const own = active.get(runId)?.log;
          if (own && !isLeaseLost(own.closed?.reason)) return yield* live(own, last);
          // Check before reading: if the run has ended by now, the read returns all of its events.
          const isOver = await runs.hasEnded(runId);
          const before = last;
          last = yield* stored(last, () => false);
          if (isOver) return;
          if (last === before) await watched.changed();
        }
      } finally {
        watched.unwatch();
      }
    }

    /** Returns the number of the last event. While the log is active, stops at a gap that another write is filling. */
    async function* stored(cursor: number, going: () => boolean): AsyncGenerator<ViewBatch<Event>, number> {
      let last = cursor;
      let from = view.after(last);
      const slice = beginSlices();
      for (;;) {
        const batches = await events.read(runId, from, PAGE);
        for (const batch of batches) {
          const shown = view.of(batch);
          if (shown.first > last + 1 && going()) return last;
          yield batchAfter(shown, last);
          last = shown.last;
          from = { entry: batch.last };
        }
        if (batches.length < PAGE) return last;
        // Reads of SQLite don't wait: a long log would block other requests.
        if (slice.isOver()) await slice.next();
      }
    }

    async function* live(log: RunLog, cursor: number): AsyncGenerator<ViewBatch<Event>> {
      const leave = log.listen();
      let last = cursor;
      try {
        for (;;) {
          const changed = log.changed();
          const recent = log.since(view, last);
          const before = last;
          if (recent === undefined) last = yield* stored(last, () => !log.closed);
          for (const shown of recent ?? []) {
            yield batchAfter(shown, last);
            last = shown.last;
          }
          if (last > before) continue;
          if (isLeaseLost(log.closed?.reason)) return yield* away(last);
          if (log.closed?.reason) throw log.closed.reason;
          if (log.closed) return;
          await changed;
        }
      } finally {
        leave();
      }
    }
  };
}

/** Yields the first and last events of an ended run whose log was deleted by retention. */
export async function* endOnly<Event>(
  { runId, threadId, messageId, workflow, error, finishedAt }: Run,
  view: View<Event>,
): AsyncGenerator<ViewBatch<Event>> {
  const body = { run_id: runId, thread_id: threadId, message_id: messageId, workflow };
  const outcome: NewEntry = error ? { kind: 'error', body: error } : { kind: 'response', body: null };
  const all: NewEntry[] = [{ kind: 'run', body }, outcome, { kind: 'end', body: {} }];
  const entries: LogEntry[] = all.map((entry) => ({ ...entry, at: finishedAt ?? 0 }));
  yield view.of({ first: 1, last: 3, chat: { first: 1, last: 3 }, entries });
}

/** For an ended run whose events were deleted by retention. */
export function eventsGone(runId: string): SkeinError {
  return new SkeinError('RUN_NOT_FOUND', {
    message: 'The events of this run are no longer kept',
    detail: `GET /api/v1/runs/${runId} returns its result`,
  });
}
