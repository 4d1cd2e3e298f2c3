/** The runs of a task: the first run, and the runs that resumed its interrupts. */
import type { Run } from '../../../state/threads/runs.ts';
import type { Services } from '../../services.ts';

export interface TaskRuns {
  first: Run;
  /** Oldest first. */
  runs: Run[];
  last: Run;
  /** The run whose interrupt is pending. It stays pending if the run that resumes it fails. */
  waiting: Run | undefined;
}

type Parts = Pick<Services, 'runtime' | 'archive'>;

/** Throws RUN_NOT_FOUND. */
export async function taskRuns(parts: Parts, owner: string, runId: string): Promise<TaskRuns> {
  return taskRunsOf(parts, await parts.runtime.run(owner, runId));
}

/** Like `taskRuns`, for a run that is already loaded. Accepts any run of the task. */
export async function taskRunsOf(parts: Parts, run: Run): Promise<TaskRuns> {
  const { owner } = run;
  const runs = [run];
  for (let id = resumedRunId(runs[0]); id !== undefined; id = resumedRunId(runs[0])) {
    const resumed = await parts.runtime.run(owner, id).catch(() => undefined);
    if (!resumed) break;
    runs.unshift(resumed);
  }
  for (let next = await resumingRun(parts, runs.at(-1)); next; next = await resumingRun(parts, next))
    runs.push(next);
  const [first] = runs as [Run];
  const last = runs.at(-1) ?? first;
  return { first, runs, last, waiting: await waitingRun(parts, runs, last) };
}

function resumedRunId(run: Run | undefined): string | undefined {
  return run?.request.resume?.runId;
}

const PAGE = 100;

/** The newest run that resumes the interrupts of `run`. */
async function resumingRun({ archive }: Parts, run: Run | undefined): Promise<Run | undefined> {
  if (run?.status !== 'interrupted') return undefined;
  const filter = { owner: run.owner, thread: run.threadKey };
  let after: [string] | undefined;
  for (;;) {
    const { items, next } = await archive.runs(filter, { limit: PAGE, after });
    const found = items.find(({ request }) => request.resume?.runId === run.runId);
    // Run ids sort by creation time, so no run after this page can resume `run`.
    const isPast = items.some(({ runId }) => runId <= run.runId);
    if (found || isPast || !next) return found;
    after = [String(next[0])];
  }
}

async function waitingRun({ archive }: Parts, runs: Run[], last: Run): Promise<Run | undefined> {
  if (last.status === 'interrupted') return last;
  if (runs.length === 1 || !['failed', 'cancelled'].includes(last.status)) return undefined;
  const thread = await archive.threads.find(last.owner, last.threadId);
  return runs.find(({ runId }) => runId === thread?.interrupt?.runId);
}
