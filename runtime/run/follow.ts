/** Follows a run's events from any point on: from the store what is past, from the running log what comes. */
import { SkeinError } from '../../state/errors.ts';
import type { EventBatch, RunEvent } from '../../state/events.ts';
import type { Run } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { RunLog } from '../journal/run-log.ts';
import type { ActiveRun } from './active-run.ts';

/** Batches to read from the store at once: what a reader that is behind costs in memory. */
const PAGE = 4;

export interface FollowParts {
  events: State['events'];
  active: Map<string, ActiveRun>;
}

/** The events of a run after number `after`, in order, each once, until the run has ended. */
export function follower({ events, active }: FollowParts) {
  return function follow(runId: string, after: number): AsyncGenerator<EventBatch> {
    const log = active.get(runId)?.log;
    return log ? live(log) : past();

    async function* past(): AsyncGenerator<EventBatch> {
      yield* stored(after, () => false);
    }

    /** Gives the number of the last event. Does not step over a gap that is still being filled. */
    async function* stored(cursor: number, going: () => boolean): AsyncGenerator<EventBatch, number> {
      let last = cursor;
      for (;;) {
        const batches = await events.read(runId, last, PAGE);
        for (const batch of batches) {
          if (batch.first > last + 1 && going()) return last;
          yield from(batch, last);
          last = batch.last;
        }
        if (batches.length < PAGE) return last;
      }
    }

    async function* live(log: RunLog): AsyncGenerator<EventBatch> {
      const leave = log.listen();
      let last = after;
      try {
        for (;;) {
          const changed = log.changed();
          const recent = log.since(last);
          const before = last;
          if (recent === undefined) last = yield* stored(last, () => !log.closed);
          for (const batch of recent ?? []) {
            yield from(batch, last);
            last = batch.last;
          }
          if (last > before) continue;
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

/** The part of a batch that comes after event `after`; the batch itself where that is all of it. */
function from(batch: EventBatch, after: number): EventBatch {
  if (batch.first > after) return batch;
  return { first: after + 1, last: batch.last, events: batch.events.slice(after + 1 - batch.first) };
}

/** What can still be told of a run whose events are no longer kept. */
export async function* endOnly({
  runId,
  threadId,
  messageId,
  workflow,
  error,
}: Run): AsyncGenerator<EventBatch> {
  const run = { run_id: runId, thread_id: threadId, message_id: messageId, workflow };
  const outcome: RunEvent = error ? { event: 'error', data: error } : { event: 'response', data: null };
  yield { first: 1, last: 3, events: [{ event: 'run', data: run }, outcome, { event: 'end', data: {} }] };
}

/** Where nothing is left of a run that has ended: its events are kept only so long. */
export function eventsGone(runId: string): SkeinError {
  return new SkeinError('RUN_NOT_FOUND', {
    message: 'The events of this run are no longer kept',
    detail: `GET /api/v1/runs/${runId} has its end`,
  });
}
