/** Goes on with the runs that an earlier process left: queued ones from the start, running ones from their checkpoint. */
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import type { Attempt, UnfinishedRun } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import { earlierEvents } from '../journal/earlier-events.ts';
import { knownUsage } from '../journal/reported-usage.ts';
import { type Lines, lineOf } from '../queue/thread-queue.ts';
import type { Registry } from '../workflows/registry.ts';
import type { ActiveRun, Start } from './active-run.ts';

export interface RecoveryParts {
  state: State;
  registry: Registry;
  line: Lines;
  start(started: Start): ActiveRun;
  log: Logger;
}

const MOST_DEATHS = 3;

/** Gives how many there are. */
export async function recoverRuns({ state, registry, line, start, log }: RecoveryParts): Promise<number> {
  const left = await state.runs.unfinished();
  /** Those that ran or were to supersede, by line: a later one that supersedes takes their place. */
  const before = new Map<string, ActiveRun[]>();
  for (const run of left) {
    const lineKey = lineOf(run.owner, run.threadId);
    const attempt = nextAttempt(run);
    const refusal = whyNotAgain(run, attempt, registry);
    log.info(
      { run_id: run.runId, workflow: run.workflow, refusal: refusal?.code },
      'run left by an earlier process',
    );
    if (run.request.supersedes) for (const earlier of before.get(lineKey) ?? []) earlier.cancel();
    const earlier = await earlierEvents(state.events, run.runId);
    const started = start({
      run: { ...run, usage: knownUsage(run.usage, earlier.progress.told) },
      lineKey,
      threadKey: run.threadKey,
      place: line.reenter(lineKey),
      checkpoint: run.checkpoint ?? undefined,
      earlier,
      attempt,
      workflow: refusal ?? registry.runnable(run.workflow),
    });
    if (run.status === 'running' || run.request.supersedes) {
      before.set(lineKey, [...(before.get(lineKey) ?? []), started]);
    }
  }
  return left.length;
}

/** A run that an orderly stop paused is queued, which does not count as a death. */
function nextAttempt({ status, attempt, newest, deaths }: UnfinishedRun): Attempt {
  if (status !== 'running') return { number: attempt, deaths };
  const count = deaths.newest === newest ? deaths.count + 1 : 1;
  return { number: attempt + 1, deaths: { count, newest } };
}

/** A run that took the process down with it must not do so at every start. */
function whyNotAgain(run: UnfinishedRun, { deaths }: Attempt, registry: Registry): SkeinError | undefined {
  if (!registry.find(run.workflow)?.graph) {
    return new SkeinError('WORKFLOW_CHANGED', {
      detail: `The workflow '${run.workflow}' is no longer there`,
    });
  }
  return deaths.count < MOST_DEATHS ? undefined : new SkeinError('RUN_CRASHED');
}
