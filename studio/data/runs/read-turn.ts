/** Reads the runs of a turn. */

import { listThreadRuns } from '../threads/threads.ts';
import { type Run, readRun } from './runs.ts';

const MAX_PARTS = 50;

/** The runs of the turn that `run` belongs to, oldest first. Later runs are found only among the thread's latest runs. */
export async function readTurn(run: Run): Promise<Run[]> {
  const parts = [run];
  while (parts[0]?.resumes !== undefined && parts.length < MAX_PARTS)
    parts.unshift(await readRun(parts[0].resumes));
  if (run.status !== 'interrupted') return parts;
  const { runs } = await listThreadRuns(run.thread_id);
  const after = (id: string | undefined) => runs.find(({ resumes }) => resumes === id && id !== undefined);
  for (let next = after(run.run_id); next && parts.length < MAX_PARTS; next = after(next.run_id))
    parts.push(next);
  return parts;
}
