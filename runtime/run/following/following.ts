/** What callers see of runs and threads as they change: a run and its events, a thread's log, and which threads have changed. */
import { SkeinError } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { Archive } from '../../../state/threads/archive.ts';
import type { ThreadBatch } from '../../../state/threads/events.ts';
import type { Run } from '../../../state/threads/runs.ts';
import type { ViewBatch } from '../../journal/view.ts';
import type { ActiveRun } from '../active-run.ts';
import type { EndedRun } from '../ending/ended-run.ts';
import type { ThreadActivity } from '../thread-activity.ts';
import { endOnly, eventsGone, type From, follower } from './follow.ts';
import { followThread, LOOK_SHARED_MS } from './follow-thread.ts';
import type { RemoteRuns } from './remote-runs.ts';
import { threadChanges } from './thread-changes.ts';

export interface FollowingParts {
  state: State;
  archive: Archive;
  active: Map<string, ActiveRun>;
  activity: ThreadActivity;
  remoteRuns: RemoteRuns;
}

/** A run's events in a view, and its end, which has the response. */
export interface RunStream<Event> {
  batches: AsyncGenerator<ViewBatch<Event>>;
  ended(): Promise<EndedRun>;
}

export interface Following {
  /** The run, with the progress of its agents if it is active in this process. Throws RUN_NOT_FOUND. */
  run(owner: string, runId: string): Promise<Run>;
  /**
   * Follows a run in a view, after the position `from`. If retention has deleted the log of an ended run, yields its first and
   * last events if `orEnd` is set; otherwise throws RUN_NOT_FOUND.
   */
  follow<Event>(
    owner: string,
    runId: string,
    from: From<Event>,
    options?: { orEnd: boolean },
  ): Promise<RunStream<Event>>;
  /**
   * Follows a thread's log from its beginning, over all its runs; yields `[]` whenever it has caught up. The thread need
   * not exist yet. Ends when `signal` aborts, the thread is deleted, or the service stops.
   */
  followThread(owner: string, threadId: string, signal: AbortSignal): AsyncGenerator<ThreadBatch[]>;
  /** See `threadChanges`. */
  threadChanges(owner: string | null, signal: AbortSignal): AsyncGenerator<string[]>;
}

// How often `threadChanges` polls for changes that don't notify: those of other processes, titles and deletions.
const LOOK_AT_OTHERS_MS = 1_000;
const LOOK_MS = 2_000;

export function following({ state, archive, active, activity, remoteRuns }: FollowingParts): Following {
  const events = follower({ state, remoteRuns, active });

  async function run(owner: string, runId: string): Promise<Run> {
    const progress = active.get(runId)?.progress();
    const stored = await state.runs.find(owner, runId);
    if (!stored) throw new SkeinError('RUN_NOT_FOUND');
    return stored.finishedAt === null ? { ...stored, ...progress } : stored;
  }

  return {
    run,
    async follow<Event>(owner: string, runId: string, from: From<Event>, { orEnd } = { orEnd: false }) {
      const running = active.get(runId);
      if (running?.owner === owner) return { batches: events(runId, from), ended: () => running.ended };
      const found = await run(owner, runId);
      const hasNoEvents =
        found.finishedAt !== null && (await state.events.read(runId, { entry: 0 }, 1)).length === 0;
      if (hasNoEvents && !orEnd) throw eventsGone(runId);
      return {
        batches: hasNoEvents ? endOnly(found, from.view) : events(runId, from),
        ended: () => remoteRuns.ended(owner, runId),
      };
    },
    followThread(owner, threadId, signal) {
      const keyOf = async () => (await state.threads.find(owner, threadId))?.key;
      const lookAgain = state.shared ? LOOK_SHARED_MS : undefined;
      return followThread({ events: state.events, activity, lookAgain }, { keyOf, signal });
    },
    threadChanges: (owner, signal) =>
      threadChanges(
        { archive, activity, lookAgain: state.shared ? LOOK_AT_OTHERS_MS : LOOK_MS },
        { owner, signal },
      ),
  };
}
