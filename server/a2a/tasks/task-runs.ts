/** The runs of a task: the one that it began with, and those that went on with what it asked. */
import type { Run } from '../../../state/runs.ts';
import type { Services } from '../../services.ts';

export interface TaskRuns {
  first: Run;
  /** From the first to the last. */
  runs: Run[];
  last: Run;
  /** The run with whose question the task waits; an answer that failed leaves it. */
  asking: Run | undefined;
}

type Parts = Pick<Services, 'runtime' | 'archive'>;

/** Throws RUN_NOT_FOUND. */
export async function taskRuns(parts: Parts, owner: string, runId: string): Promise<TaskRuns> {
  return taskRunsOf(parts, await parts.runtime.run(owner, runId));
}

/** The same of a run that is known. */
export async function taskRunsOf(parts: Parts, run: Run): Promise<TaskRuns> {
  const { owner } = run;
  const runs = [run];
  for (let before = earlier(runs[0]); before !== undefined; before = earlier(runs[0])) {
    const known = await parts.runtime.run(owner, before).catch(() => undefined);
    if (!known) break;
    runs.unshift(known);
  }
  for (let next = await answering(parts, runs.at(-1)); next; next = await answering(parts, next))
    runs.push(next);
  const [first] = runs as [Run];
  const last = runs.at(-1) ?? first;
  return { first, runs, last, asking: await askingOf(parts, runs, last) };
}

function earlier(run: Run | undefined): string | undefined {
  return run?.request.resume?.runId;
}

const PAGE = 100;

/** The newest run that answers what a run asked. */
async function answering({ archive }: Parts, run: Run | undefined): Promise<Run | undefined> {
  if (run?.status !== 'interrupted') return undefined;
  const filter = { owner: run.owner, thread: run.threadKey };
  let after: [string] | undefined;
  for (;;) {
    const { items, next } = await archive.runs(filter, { limit: PAGE, after });
    const found = items.find(({ request }) => request.resume?.runId === run.runId);
    // Run ids are in the order of their runs.
    const isPast = items.some(({ runId }) => runId <= run.runId);
    if (found || isPast || !next) return found;
    after = [String(next[0])];
  }
}

async function askingOf({ archive }: Parts, runs: Run[], last: Run): Promise<Run | undefined> {
  if (last.status === 'interrupted') return last;
  if (runs.length === 1 || !['failed', 'cancelled'].includes(last.status)) return undefined;
  const thread = await archive.threads.find(last.owner, last.threadId);
  return runs.find(({ runId }) => runId === thread?.interrupt?.runId);
}
